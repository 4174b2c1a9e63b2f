package main

import (
	"context"
	"maps"
	"net"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/shared"
)

// Firewall is a set of rules. Servers refer to it.
type Firewall struct {
	shared.Resource[FirewallState, FirewallState, *FirewallState]
}

func (*Firewall) Annotate(a infer.Annotator) { a.SetToken("index/firewall", "Firewall") }

type FirewallState struct {
	Labels map[string]string `pulumi:"labels,optional"`
	Name   string            `pulumi:"name"`
	Rules  []FirewallRule    `pulumi:"rules,optional"`
}

type FirewallRule struct {
	Direction string   `pulumi:"direction"`
	Port      string   `pulumi:"port"`
	Protocol  string   `pulumi:"protocol"`
	SourceIPs []string `pulumi:"sourceIps,optional"`
}

func (f *FirewallState) Inputs() *FirewallState { return f }

func (f *FirewallState) Create(ctx context.Context) (string, error) {
	options := hcloud.FirewallCreateOpts{Name: f.Name, Labels: f.Labels, Rules: f.rules()}
	made, _, err := api(ctx).Firewall.Create(ctx, options)
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(made.Firewall.ID, 10), api(ctx).Action.WaitFor(ctx, made.Actions...)
}

func (f *FirewallState) rules() []hcloud.FirewallRule {
	made := make([]hcloud.FirewallRule, len(f.Rules))
	for i, rule := range f.Rules {
		made[i] = hcloud.FirewallRule{
			Direction: hcloud.FirewallRuleDirection(rule.Direction),
			Protocol:  hcloud.FirewallRuleProtocol(rule.Protocol),
			Port:      &rule.Port,
		}
		for _, text := range rule.SourceIPs {
			if _, network, err := net.ParseCIDR(text); err == nil {
				made[i].SourceIPs = append(made[i].SourceIPs, *network)
			}
		}
	}
	return made
}

func (f *FirewallState) Read(ctx context.Context, id string) (bool, error) {
	found, _, err := api(ctx).Firewall.GetByID(ctx, number(id))
	if err != nil || found == nil {
		return false, err
	}
	f.Name, f.Labels, f.Rules = found.Name, found.Labels, nil
	for _, rule := range found.Rules {
		kept := FirewallRule{string(rule.Direction), shared.Or(rule.Port, ""), string(rule.Protocol), nil}
		for _, network := range rule.SourceIPs {
			kept.SourceIPs = append(kept.SourceIPs, network.String())
		}
		f.Rules = append(f.Rules, kept)
	}
	return true, nil
}

// Update sets the rules, which is all that the program changes.
func (f *FirewallState) Update(ctx context.Context, id string, old FirewallState) error {
	if f.Name != old.Name || !maps.Equal(f.Labels, old.Labels) {
		return shared.ErrNotHere
	}
	target := &hcloud.Firewall{ID: number(id)}
	actions, _, err := api(ctx).Firewall.SetRules(ctx, target, hcloud.FirewallSetRulesOpts{Rules: f.rules()})
	if err != nil {
		return err
	}
	return api(ctx).Action.WaitFor(ctx, actions...)
}

func (*FirewallState) Delete(ctx context.Context, id string) error {
	_, err := api(ctx).Firewall.Delete(ctx, &hcloud.Firewall{ID: number(id)})
	return unlessGone(err)
}
