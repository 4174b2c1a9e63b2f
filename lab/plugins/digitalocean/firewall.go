package main

import (
	"context"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/shared"
)

// Firewall is a cloud firewall for all Droplets with one of its tags.
type Firewall struct {
	shared.Resource[FirewallState, FirewallState, *FirewallState]
}

func (*Firewall) Annotate(a infer.Annotator) { a.SetToken("index/firewall", "Firewall") }

type FirewallState struct {
	InboundRules  []InboundRule  `pulumi:"inboundRules,optional"`
	Name          string         `pulumi:"name"`
	OutboundRules []OutboundRule `pulumi:"outboundRules,optional"`
	Tags          []string       `pulumi:"tags,optional"`
}

type InboundRule struct {
	PortRange       *string  `pulumi:"portRange,optional"`
	Protocol        string   `pulumi:"protocol"`
	SourceAddresses []string `pulumi:"sourceAddresses,optional"`
}

type OutboundRule struct {
	DestinationAddresses []string `pulumi:"destinationAddresses,optional"`
	PortRange            *string  `pulumi:"portRange,optional"`
	Protocol             string   `pulumi:"protocol"`
}

func (f *FirewallState) Inputs() *FirewallState { return f }

func (f *FirewallState) Create(ctx context.Context) (string, error) {
	made, _, err := api(ctx).Firewalls.Create(ctx, f.request())
	if err != nil {
		return "", err
	}
	return made.ID, nil
}

func (f *FirewallState) request() *godo.FirewallRequest {
	request := &godo.FirewallRequest{Name: f.Name, Tags: f.Tags}
	for _, rule := range f.InboundRules {
		sources := &godo.Sources{Addresses: rule.SourceAddresses}
		request.InboundRules = append(request.InboundRules,
			godo.InboundRule{Protocol: rule.Protocol, PortRange: shared.Or(rule.PortRange, ""), Sources: sources})
	}
	for _, rule := range f.OutboundRules {
		targets := &godo.Destinations{Addresses: rule.DestinationAddresses}
		request.OutboundRules = append(request.OutboundRules,
			godo.OutboundRule{Protocol: rule.Protocol, PortRange: shared.Or(rule.PortRange, ""), Destinations: targets})
	}
	return request
}

func (f *FirewallState) Read(ctx context.Context, id string) (bool, error) {
	found, answer, err := api(ctx).Firewalls.Get(ctx, id)
	if err != nil {
		return false, unlessGone(answer, err)
	}
	*f = FirewallState{Name: found.Name, Tags: found.Tags}
	for _, rule := range found.InboundRules {
		ports := portRange(rule.Protocol, rule.PortRange)
		f.InboundRules = append(f.InboundRules, InboundRule{ports, rule.Protocol, rule.Sources.Addresses})
	}
	for _, rule := range found.OutboundRules {
		ports := portRange(rule.Protocol, rule.PortRange)
		f.OutboundRules = append(f.OutboundRules, OutboundRule{rule.Destinations.Addresses, ports, rule.Protocol})
	}
	return true, nil
}

// portRange translates the API's 0. It means all ports, or no port for icmp.
func portRange(protocol, ports string) *string {
	if ports == "0" {
		if protocol == "icmp" {
			return nil
		}
		ports = "all"
	}
	return &ports
}

// Update replaces the whole firewall.
func (f *FirewallState) Update(ctx context.Context, id string, _ FirewallState) error {
	_, _, err := api(ctx).Firewalls.Update(ctx, id, f.request())
	return err
}

func (*FirewallState) Delete(ctx context.Context, id string) error {
	answer, err := api(ctx).Firewalls.Delete(ctx, id)
	return unlessGone(answer, err)
}
