package cloud

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"pillar-host/lab/plugins/shared"
)

const (
	firewallDeleteTries    = 10
	firewallDeleteInterval = time.Second
)

// Firewall is a set of rules. Servers refer to it.
type Firewall struct {
	shared.Resource[FirewallInputs, FirewallState, firewall]
}

// FirewallInputs contains the inputs that a program sets.
type FirewallInputs struct {
	Labels map[string]string `pulumi:"labels,optional"`
	Name   *string           `pulumi:"name,optional"`
	Rules  []FirewallRule    `pulumi:"rules,optional"`
}

// FirewallRule allows inbound or outbound traffic.
type FirewallRule struct {
	Direction string   `pulumi:"direction"`
	Port      *string  `pulumi:"port,optional"`
	Protocol  string   `pulumi:"protocol"`
	SourceIPs []string `pulumi:"sourceIps,optional"`
}

// String formats the rule. The order of the networks does not matter, so equal rules give the same text.
func (r FirewallRule) String() string {
	return fmt.Sprint(r.Direction, " ", r.Protocol, shared.Or(r.Port, ""), slices.Sorted(slices.Values(r.SourceIPs)))
}

// FirewallState contains the inputs with the cloud's values.
type FirewallState struct{ FirewallInputs }

type firewall struct{}

func (firewall) Token() (tokens.ModuleName, tokens.TypeName) { return "index/firewall", "Firewall" }

func (firewall) Plan(in FirewallInputs, _ FirewallState) FirewallState { return FirewallState{in} }

// Diff ignores the order of the rules.
func (firewall) Diff(d *shared.Diff, in FirewallInputs, state FirewallState) {
	d.Update("rules", !sameRules(in.Rules, state.Rules))
	d.Update("labels", !maps.Equal(in.Labels, state.Labels))
	d.Name(state.Name, in.Name)
}

func sameRules(a, b []FirewallRule) bool { return shared.SameSet(shared.Texts(a), shared.Texts(b)) }

func (firewall) Create(ctx context.Context, in FirewallInputs, state *FirewallState) (string, error) {
	client, err := clientOf(ctx)
	if err != nil {
		return "", err
	}
	options := hcloud.FirewallCreateOpts{Name: shared.Or(in.Name, ""), Labels: in.Labels, Rules: rulesOf(in.Rules)}
	result, _, err := client.Firewall.Create(ctx, options)
	if err != nil {
		return "", failure(err)
	}
	if err = client.Action.WaitFor(ctx, result.Actions...); err == nil {
		_, err = state.refresh(ctx, client, result.Firewall.ID)
	}
	return textOf(result.Firewall.ID), halfMade(err)
}

func (s *FirewallState) refresh(ctx context.Context, client *hcloud.Client, id int64) (bool, error) {
	found, _, err := client.Firewall.GetByID(ctx, id)
	if err != nil || found == nil {
		return false, err
	}
	s.Name, s.Labels, s.Rules = &found.Name, found.Labels, []FirewallRule{}
	for _, rule := range found.Rules {
		kept := FirewallRule{Direction: string(rule.Direction), Protocol: string(rule.Protocol), Port: rule.Port}
		for _, network := range rule.SourceIPs {
			kept.SourceIPs = append(kept.SourceIPs, network.String())
		}
		s.Rules = append(s.Rules, kept)
	}
	return true, nil
}

func rulesOf(rules []FirewallRule) []hcloud.FirewallRule {
	made := make([]hcloud.FirewallRule, len(rules))
	for i, rule := range rules {
		made[i] = hcloud.FirewallRule{
			Direction: hcloud.FirewallRuleDirection(rule.Direction),
			Protocol:  hcloud.FirewallRuleProtocol(rule.Protocol),
			Port:      rule.Port,
		}
		for _, text := range rule.SourceIPs {
			if _, network, err := net.ParseCIDR(text); err == nil {
				made[i].SourceIPs = append(made[i].SourceIPs, *network)
			}
		}
	}
	return made
}

func (firewall) Read(ctx context.Context, id string, state *FirewallState) (bool, error) {
	client, number, err := targetOf(ctx, id)
	if err != nil {
		return false, err
	}
	found, err := state.refresh(ctx, client, number)
	return found, failure(err)
}

func (firewall) ReadInputs(_ FirewallInputs, state FirewallState, _ bool) FirewallInputs {
	return state.FirewallInputs
}

// Update sets the rules, which is all that the program changes.
func (firewall) Update(
	ctx context.Context, id string, in FirewallInputs, old FirewallState, state *FirewallState,
) error {
	client, number, err := targetOf(ctx, id)
	if err != nil {
		return err
	}
	if shared.Differ(in.Name, old.Name) || !maps.Equal(in.Labels, old.Labels) {
		return errors.New("a changed name or label is not in the lab's stand-in for this plugin")
	}
	rules := hcloud.FirewallSetRulesOpts{Rules: rulesOf(in.Rules)}
	actions, _, err := client.Firewall.SetRules(ctx, &hcloud.Firewall{ID: number}, rules)
	if err == nil {
		err = client.Action.WaitFor(ctx, actions...)
	}
	if err == nil {
		_, err = state.refresh(ctx, client, number)
	}
	return failure(err)
}

// Delete retries for a while if servers still use the firewall.
func (firewall) Delete(ctx context.Context, id string, _ FirewallState) error {
	client, number, err := targetOf(ctx, id)
	for try := 1; err == nil; try++ {
		_, err = client.Firewall.Delete(ctx, &hcloud.Firewall{ID: number})
		if err == nil || isGone(err) {
			return nil
		}
		busy := hcloud.IsError(err, hcloud.ErrorCodeResourceInUse, hcloud.ErrorCodeConflict)
		if busy && try < firewallDeleteTries {
			err = nil
			time.Sleep(firewallDeleteInterval)
		}
	}
	return failure(err)
}
