package cloud

import (
	"context"
	"errors"
	"fmt"

	"github.com/digitalocean/godo"
	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Firewall is a cloud firewall.
type Firewall struct{}

// FirewallArgs are what a program sets.
type FirewallArgs struct {
	DropletIDs    []int          `pulumi:"dropletIds,optional"`
	InboundRules  []InboundRule  `pulumi:"inboundRules,optional"`
	Name          *string        `pulumi:"name,optional"`
	OutboundRules []OutboundRule `pulumi:"outboundRules,optional"`
	Tags          []string       `pulumi:"tags,optional"`
}

// FirewallState is what is known of a firewall.
type FirewallState struct {
	FirewallArgs
	CreatedAt      string          `pulumi:"createdAt"`
	PendingChanges []PendingChange `pulumi:"pendingChanges"`
	Status         string          `pulumi:"status"`
}

// PendingChange is a Droplet that a change has not yet reached.
type PendingChange struct {
	DropletID int    `pulumi:"dropletId"`
	Removing  bool   `pulumi:"removing"`
	Status    string `pulumi:"status"`
}

// Annotate gives the official token.
func (f *Firewall) Annotate(a infer.Annotator) { a.SetToken("index/firewall", "Firewall") }

// Check makes up a name where there is none, and wants a port for tcp and udp.
func (*Firewall) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[FirewallArgs], error) {
	inputs, failures, err := infer.DefaultCheck[FirewallArgs](ctx, named(req.Name, req.OldInputs, req.NewInputs))
	for _, rule := range inputs.InboundRules {
		failures = append(failures, missingPort("inbound", rule.Protocol, rule.PortRange)...)
	}
	for _, rule := range inputs.OutboundRules {
		failures = append(failures, missingPort("outbound", rule.Protocol, rule.PortRange)...)
	}
	return infer.CheckResponse[FirewallArgs]{Inputs: inputs, Failures: failures}, err
}

func missingPort(direction, protocol string, ports *string) []provider.CheckFailure {
	// An empty protocol is one that a preview does not know yet.
	if protocol == "" || protocol == "icmp" || valueOr(ports, "") != "" {
		return nil
	}
	reason := "`port_range` of " + direction + " rules is required if protocol is `tcp` or `udp`"
	return []provider.CheckFailure{{Property: direction + "Rules", Reason: reason}}
}

// Diff: everything of a firewall changes in place.
func (*Firewall) Diff(
	_ context.Context, req infer.DiffRequest[FirewallArgs, FirewallState],
) (infer.DiffResponse, error) {
	old, new, d := req.State, req.Inputs, diff{}
	d.update("name", differ(old.Name, new.Name))
	d.update("dropletIds", setsDiffer(old.DropletIDs, new.DropletIDs))
	d.update("tags", setsDiffer(lower(old.Tags), lower(new.Tags)))
	d.update("inboundRules", setsDiffer(canonical(old.InboundRules), canonical(new.InboundRules)))
	d.update("outboundRules", setsDiffer(canonical(old.OutboundRules), canonical(new.OutboundRules)))
	return d.response(old.Name, new.Name), nil
}

// Create makes the firewall.
func (*Firewall) Create(
	ctx context.Context, req infer.CreateRequest[FirewallArgs],
) (infer.CreateResponse[FirewallState], error) {
	response := infer.CreateResponse[FirewallState]{Output: FirewallState{FirewallArgs: req.Inputs}}
	if len(req.Inputs.InboundRules)+len(req.Inputs.OutboundRules) == 0 && !req.DryRun {
		return response, errors.New("At least one rule must be specified")
	}
	if req.DryRun {
		return response, nil
	}
	made, _, err := api(ctx).Firewalls.Create(context.Background(), req.Inputs.request())
	if err != nil {
		return response, failed("Error creating firewall", err)
	}
	response.ID = made.ID
	firewall, _, err := api(ctx).Firewalls.Get(context.Background(), made.ID)
	if err != nil {
		response.Output = firewallState(made)
		reason := fmt.Sprintf("Error retrieving firewall: %s", err)
		return response, infer.ResourceInitFailedError{Reasons: []string{reason}}
	}
	response.Output = firewallState(firewall)
	return response, nil
}

// Read looks the firewall up.
func (*Firewall) Read(
	ctx context.Context, req infer.ReadRequest[FirewallArgs, FirewallState],
) (infer.ReadResponse[FirewallArgs, FirewallState], error) {
	response := infer.ReadResponse[FirewallArgs, FirewallState]{}
	firewall, answer, err := api(ctx).Firewalls.Get(context.Background(), req.ID)
	if isGone(answer) {
		return response, nil
	}
	if err != nil {
		return response, failed("Error retrieving firewall", err)
	}
	response.ID, response.Inputs, response.State = req.ID, req.Inputs, firewallState(firewall)
	if req.State.CreatedAt == "" {
		response.Inputs = response.State.FirewallArgs
	}
	return response, nil
}

// Update sets the whole firewall anew.
func (*Firewall) Update(
	ctx context.Context, req infer.UpdateRequest[FirewallArgs, FirewallState],
) (infer.UpdateResponse[FirewallState], error) {
	state := req.State
	state.FirewallArgs = req.Inputs
	response := infer.UpdateResponse[FirewallState]{Output: state}
	if req.DryRun {
		return response, nil
	}
	if _, _, err := api(ctx).Firewalls.Update(context.Background(), req.ID, req.Inputs.request()); err != nil {
		return response, failed("Error updating firewall", err)
	}
	firewall, _, err := api(ctx).Firewalls.Get(context.Background(), req.ID)
	if err != nil {
		return response, failed("Error retrieving firewall", err)
	}
	response.Output = firewallState(firewall)
	return response, nil
}

// Delete removes the firewall; one that has vanished is no error.
func (*Firewall) Delete(ctx context.Context, req infer.DeleteRequest[FirewallState]) (infer.DeleteResponse, error) {
	answer, err := api(ctx).Firewalls.Delete(context.Background(), req.ID)
	if err != nil && !isGone(answer) {
		return infer.DeleteResponse{}, failed("Error deleting firewall", err)
	}
	return infer.DeleteResponse{}, nil
}

func (f *FirewallArgs) request() *godo.FirewallRequest {
	request := &godo.FirewallRequest{Name: valueOr(f.Name, ""), DropletIDs: f.DropletIDs, Tags: f.Tags}
	for _, rule := range f.InboundRules {
		request.InboundRules = append(request.InboundRules, rule.request())
	}
	for _, rule := range f.OutboundRules {
		request.OutboundRules = append(request.OutboundRules, rule.request())
	}
	return request
}

func firewallState(firewall *godo.Firewall) FirewallState {
	state := FirewallState{CreatedAt: firewall.Created, Status: firewall.Status, PendingChanges: []PendingChange{}}
	state.Name, state.DropletIDs, state.Tags = &firewall.Name, firewall.DropletIDs, firewall.Tags
	for _, rule := range firewall.InboundRules {
		state.InboundRules = append(state.InboundRules, inboundRule(rule))
	}
	for _, rule := range firewall.OutboundRules {
		state.OutboundRules = append(state.OutboundRules, outboundRule(rule))
	}
	for _, change := range firewall.PendingChanges {
		state.PendingChanges = append(state.PendingChanges, PendingChange(change))
	}
	return state
}
