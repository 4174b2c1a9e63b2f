package cloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"pillar-host/lab/plugins/shared"
)

// Firewall is a cloud firewall for all Droplets with one of its tags.
type Firewall struct {
	shared.Resource[FirewallArgs, FirewallState, firewall]
}

// FirewallArgs contains the inputs that a program sets.
type FirewallArgs struct {
	InboundRules  []InboundRule  `pulumi:"inboundRules,optional"`
	Name          *string        `pulumi:"name,optional"`
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

// String formats the rule. The order of the addresses does not matter, so equal rules give the same text.
func (r InboundRule) String() string { return text(r.Protocol, r.PortRange, r.SourceAddresses) }

// String formats the rule. The order of the addresses does not matter, so equal rules give the same text.
func (r OutboundRule) String() string { return text(r.Protocol, r.PortRange, r.DestinationAddresses) }

func text(protocol string, ports *string, addresses []string) string {
	return fmt.Sprint(protocol, " ", shared.Or(ports, ""), slices.Sorted(slices.Values(addresses)))
}

// FirewallState contains the inputs and the firewall's status.
type FirewallState struct {
	FirewallArgs
	Status string `pulumi:"status"`
}

type firewall struct{}

func (firewall) Token() (tokens.ModuleName, tokens.TypeName) { return "index/firewall", "Firewall" }

func (firewall) Plan(in FirewallArgs, old FirewallState) FirewallState {
	return FirewallState{in, old.Status}
}

// Diff never needs a replacement.
func (firewall) Diff(d *shared.Diff, in FirewallArgs, state FirewallState) {
	d.Name(state.Name, in.Name)
	d.Update("tags", !shared.SameSet(lower(state.Tags), lower(in.Tags)))
	d.Update("inboundRules", !shared.SameSet(shared.Texts(state.InboundRules), shared.Texts(in.InboundRules)))
	d.Update("outboundRules", !shared.SameSet(shared.Texts(state.OutboundRules), shared.Texts(in.OutboundRules)))
}

func lower(texts []string) []string {
	lowered := make([]string, len(texts))
	for i, text := range texts {
		lowered[i] = strings.ToLower(text)
	}
	return lowered
}

func (firewall) Create(ctx context.Context, in FirewallArgs, state *FirewallState) (string, error) {
	if len(in.InboundRules)+len(in.OutboundRules) == 0 {
		return "", errors.New("At least one rule must be specified")
	}
	made, _, err := api(ctx).Firewalls.Create(context.Background(), in.request())
	if err != nil {
		return "", failed("Error creating firewall", err)
	}
	_, err = firewall{}.Read(ctx, made.ID, state)
	return made.ID, err
}

func (f *FirewallArgs) request() *godo.FirewallRequest {
	request := &godo.FirewallRequest{Name: shared.Or(f.Name, ""), Tags: f.Tags}
	for _, rule := range f.InboundRules {
		request.InboundRules = append(request.InboundRules, godo.InboundRule{
			Protocol: rule.Protocol, PortRange: shared.Or(rule.PortRange, ""),
			Sources: &godo.Sources{Addresses: rule.SourceAddresses},
		})
	}
	for _, rule := range f.OutboundRules {
		request.OutboundRules = append(request.OutboundRules, godo.OutboundRule{
			Protocol: rule.Protocol, PortRange: shared.Or(rule.PortRange, ""),
			Destinations: &godo.Destinations{Addresses: rule.DestinationAddresses},
		})
	}
	return request
}

func (firewall) Read(ctx context.Context, id string, state *FirewallState) (bool, error) {
	found, answer, err := api(ctx).Firewalls.Get(context.Background(), id)
	if err != nil {
		return false, unlessGone(answer, "Error retrieving firewall", err)
	}
	*state = FirewallState{FirewallArgs{Name: &found.Name, Tags: found.Tags}, found.Status}
	for _, rule := range found.InboundRules {
		kept := InboundRule{Protocol: rule.Protocol, PortRange: portRange(rule.Protocol, rule.PortRange)}
		if rule.Sources != nil {
			kept.SourceAddresses = rule.Sources.Addresses
		}
		state.InboundRules = append(state.InboundRules, kept)
	}
	for _, rule := range found.OutboundRules {
		kept := OutboundRule{Protocol: rule.Protocol, PortRange: portRange(rule.Protocol, rule.PortRange)}
		if rule.Destinations != nil {
			kept.DestinationAddresses = rule.Destinations.Addresses
		}
		state.OutboundRules = append(state.OutboundRules, kept)
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

func (firewall) ReadInputs(in FirewallArgs, state FirewallState, imported bool) FirewallArgs {
	if imported {
		return state.FirewallArgs
	}
	return in
}

// Update replaces the whole firewall.
func (firewall) Update(ctx context.Context, id string, in FirewallArgs, _ FirewallState, state *FirewallState) error {
	if _, _, err := api(ctx).Firewalls.Update(context.Background(), id, in.request()); err != nil {
		return failed("Error updating firewall", err)
	}
	_, err := firewall{}.Read(ctx, id, state)
	return err
}

// Delete removes the firewall. A firewall that is already gone is no error.
func (firewall) Delete(ctx context.Context, id string, _ FirewallState) error {
	answer, err := api(ctx).Firewalls.Delete(context.Background(), id)
	return unlessGone(answer, "Error deleting firewall", err)
}
