package cloud

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

const (
	firewallDeleteTries    = 10
	firewallDeleteInterval = time.Second
)

// Firewall is a set of rules, applied to servers.
type Firewall struct{}

// Annotate names the type as the original does.
func (f *Firewall) Annotate(a infer.Annotator) { a.SetToken("index/firewall", "Firewall") }

// FirewallInputs are what a program sets.
type FirewallInputs struct {
	ApplyTos []FirewallApplyTo `pulumi:"applyTos,optional"`
	Labels   map[string]string `pulumi:"labels,optional"`
	Name     *string           `pulumi:"name,optional"`
	Rules    []FirewallRule    `pulumi:"rules,optional"`
}

// FirewallState is the inputs, as the cloud has them.
type FirewallState struct{ FirewallInputs }

// Check refuses addresses that are no networks, before anything is touched.
func (*Firewall) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[FirewallInputs], error) {
	news, err := withName(req.OldInputs, req.NewInputs, req.Name)
	if err != nil {
		return infer.CheckResponse[FirewallInputs]{}, err
	}
	inputs, failures, err := infer.DefaultCheck[FirewallInputs](ctx, news)
	for i, rule := range inputs.Rules {
		for _, address := range append(slices.Clone(rule.SourceIPs), rule.DestinationIPs...) {
			if _, network, fault := net.ParseCIDR(address); address != "" && (fault != nil || network.String() != address) {
				failures = append(failures, provider.CheckFailure{
					Property: fmt.Sprintf("rules[%d]", i),
					Reason:   fmt.Sprintf("%s is not the start of the cidr block or no cidr block at all", address),
				})
			}
		}
	}
	return infer.CheckResponse[FirewallInputs]{Inputs: inputs, Failures: failures}, err
}

// Diff compares rules without regard to their order.
func (*Firewall) Diff(
	_ context.Context, req infer.DiffRequest[FirewallInputs, FirewallState],
) (provider.DiffResponse, error) {
	in, state, found := req.Inputs, req.State, diffs{}
	found.replace("applyTos", in.ApplyTos != nil && !sameSet(words(in.ApplyTos), words(state.ApplyTos)))
	found.update("rules", !sameSet(words(in.Rules), words(state.Rules)))
	found.update("labels", !sameLabels(in.Labels, state.Labels))
	found.update("name", in.Name != nil && *in.Name != valueOr(state.Name, ""))
	return found.response(in.Name), nil
}

// Create makes the firewall and waits until it is applied.
func (*Firewall) Create(
	ctx context.Context, req infer.CreateRequest[FirewallInputs],
) (infer.CreateResponse[FirewallState], error) {
	response := infer.CreateResponse[FirewallState]{Output: FirewallState{req.Inputs}}
	if req.DryRun {
		return response, nil
	}
	client, err := clientOf()
	if err != nil {
		return response, err
	}
	options := hcloud.FirewallCreateOpts{
		Name: valueOr(req.Inputs.Name, ""), Labels: req.Inputs.Labels, Rules: rulesOf(req.Inputs.Rules),
	}
	for _, target := range req.Inputs.ApplyTos {
		options.ApplyTo = append(options.ApplyTo, target.resource())
	}
	result, _, err := client.Firewall.Create(ctx, options)
	if err != nil {
		return response, failure(err)
	}
	response.ID = strconv.FormatInt(result.Firewall.ID, 10)
	err = client.Action.WaitFor(ctx, result.Actions...)
	if err == nil {
		var firewall *hcloud.Firewall
		if firewall, _, err = client.Firewall.GetByID(ctx, result.Firewall.ID); err == nil && firewall != nil {
			response.Output.observe(firewall)
		}
	}
	if err != nil {
		return response, halfMade(err)
	}
	return response, nil
}

func (s *FirewallState) observe(firewall *hcloud.Firewall) {
	s.Name, s.Labels = &firewall.Name, firewall.Labels
	s.Rules, s.ApplyTos = []FirewallRule{}, []FirewallApplyTo{}
	for _, rule := range firewall.Rules {
		s.Rules = append(s.Rules, FirewallRule{
			Direction: string(rule.Direction), Protocol: string(rule.Protocol), Port: rule.Port,
			Description: rule.Description, SourceIPs: texts(rule.SourceIPs), DestinationIPs: texts(rule.DestinationIPs),
		})
	}
	for _, target := range firewall.AppliedTo {
		if target.Type == hcloud.FirewallResourceTypeServer {
			server := int(target.Server.ID)
			s.ApplyTos = append(s.ApplyTos, FirewallApplyTo{Server: &server})
		} else {
			s.ApplyTos = append(s.ApplyTos, FirewallApplyTo{LabelSelector: &target.LabelSelector.Selector})
		}
	}
}

// Read looks at the firewall. One that is gone leaves the state.
func (*Firewall) Read(
	ctx context.Context, req infer.ReadRequest[FirewallInputs, FirewallState],
) (infer.ReadResponse[FirewallInputs, FirewallState], error) {
	var response infer.ReadResponse[FirewallInputs, FirewallState]
	client, id, err := targetOf(req.ID)
	if err != nil {
		return response, err
	}
	firewall, _, err := client.Firewall.GetByID(ctx, id)
	if err != nil || firewall == nil {
		return response, failure(err)
	}
	response.ID = req.ID
	response.State.observe(firewall)
	response.Inputs = response.State.FirewallInputs
	// What the program leaves to others (attachments) or does not set is no input of its own after a refresh.
	if refresh := req.Inputs.Name != nil; refresh && req.Inputs.ApplyTos == nil {
		response.Inputs.ApplyTos = nil
	}
	if req.Inputs.Labels == nil && len(firewall.Labels) == 0 {
		response.Inputs.Labels = nil
	}
	return response, nil
}

// Update changes name, labels and rules.
func (*Firewall) Update(
	ctx context.Context, req infer.UpdateRequest[FirewallInputs, FirewallState],
) (infer.UpdateResponse[FirewallState], error) {
	response := infer.UpdateResponse[FirewallState]{Output: FirewallState{req.Inputs}}
	if response.Output.ApplyTos == nil {
		response.Output.ApplyTos = req.State.ApplyTos
	}
	if req.DryRun {
		return response, nil
	}
	client, id, err := targetOf(req.ID)
	if err != nil {
		return response, err
	}
	firewall := &hcloud.Firewall{ID: id}
	options := hcloud.FirewallUpdateOpts{Name: valueOr(req.Inputs.Name, ""), Labels: req.Inputs.Labels}
	if options.Labels == nil {
		options.Labels = map[string]string{}
	}
	_, _, err = client.Firewall.Update(ctx, firewall, options)
	if err == nil && !sameSet(words(req.Inputs.Rules), words(req.State.Rules)) {
		var actions []*hcloud.Action
		rules := hcloud.FirewallSetRulesOpts{Rules: rulesOf(req.Inputs.Rules)}
		if actions, _, err = client.Firewall.SetRules(ctx, firewall, rules); err == nil {
			err = client.Action.WaitFor(ctx, actions...)
		}
	}
	if err == nil {
		if firewall, _, err = client.Firewall.GetByID(ctx, id); err == nil && firewall != nil {
			response.Output.observe(firewall)
		}
	}
	return response, failure(err)
}

// Delete tries for a while when servers are not yet free of it.
func (*Firewall) Delete(ctx context.Context, req infer.DeleteRequest[FirewallState]) (infer.DeleteResponse, error) {
	client, id, err := targetOf(req.ID)
	if err != nil {
		return infer.DeleteResponse{}, err
	}
	for try := 1; err == nil; try++ {
		_, err = client.Firewall.Delete(ctx, &hcloud.Firewall{ID: id})
		if err == nil || isGone(err) {
			return infer.DeleteResponse{}, nil
		}
		busy := hcloud.IsError(err, hcloud.ErrorCodeResourceInUse, hcloud.ErrorCodeConflict)
		if busy && try < firewallDeleteTries {
			err = nil
			time.Sleep(firewallDeleteInterval)
		}
	}
	return infer.DeleteResponse{}, failure(err)
}
