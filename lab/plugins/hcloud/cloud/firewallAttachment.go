package cloud

import (
	"context"
	"errors"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// FirewallAttachment is everything that one firewall is applied to.
type FirewallAttachment struct{}

// Annotate names the type as the original does.
func (f *FirewallAttachment) Annotate(a infer.Annotator) {
	a.SetToken("index/firewallAttachment", "FirewallAttachment")
}

// AttachmentInputs are what a program sets.
type AttachmentInputs struct {
	FirewallID     int      `pulumi:"firewallId"`
	LabelSelectors []string `pulumi:"labelSelectors,optional"`
	ServerIDs      []int    `pulumi:"serverIds,optional"`
}

// AttachmentState is the inputs, as the cloud has them.
type AttachmentState struct{ AttachmentInputs }

func serverResource(id int64) hcloud.FirewallResource {
	return hcloud.FirewallResource{
		Type: hcloud.FirewallResourceTypeServer, Server: &hcloud.FirewallResourceServer{ID: id},
	}
}

func selectorResource(selector string) hcloud.FirewallResource {
	return hcloud.FirewallResource{
		Type:          hcloud.FirewallResourceTypeLabelSelector,
		LabelSelector: &hcloud.FirewallResourceLabelSelector{Selector: selector},
	}
}

func resourcesOf(servers []int, selectors []string) []hcloud.FirewallResource {
	var resources []hcloud.FirewallResource
	for _, id := range servers {
		resources = append(resources, serverResource(int64(id)))
	}
	for _, selector := range selectors {
		resources = append(resources, selectorResource(selector))
	}
	return resources
}

// Diff compares sets.
func (*FirewallAttachment) Diff(
	_ context.Context, req infer.DiffRequest[AttachmentInputs, AttachmentState],
) (provider.DiffResponse, error) {
	found := diffs{}
	found.replace("firewallId", req.Inputs.FirewallID != req.State.FirewallID)
	found.update("serverIds", !sameSet(req.Inputs.ServerIDs, req.State.ServerIDs))
	found.update("labelSelectors", !sameSet(req.Inputs.LabelSelectors, req.State.LabelSelectors))
	return found.response(nil), nil
}

// Create applies the firewall.
func (*FirewallAttachment) Create(
	ctx context.Context, req infer.CreateRequest[AttachmentInputs],
) (infer.CreateResponse[AttachmentState], error) {
	response := infer.CreateResponse[AttachmentState]{Output: AttachmentState{req.Inputs}}
	if req.DryRun {
		return response, nil
	}
	wanted := resourcesOf(req.Inputs.ServerIDs, req.Inputs.LabelSelectors)
	if len(wanted) == 0 {
		return response, failure(errors.New("no resources referenced"))
	}
	client, err := clientOf()
	if err != nil {
		return response, err
	}
	err = apply(ctx, client, int64(req.Inputs.FirewallID), wanted)
	response.ID = strconv.Itoa(req.Inputs.FirewallID)
	return response, failure(err)
}

func apply(ctx context.Context, client *hcloud.Client, firewall int64, to []hcloud.FirewallResource) error {
	if len(to) == 0 {
		return nil
	}
	actions, _, err := client.Firewall.ApplyResources(ctx, &hcloud.Firewall{ID: firewall}, to)
	if err == nil {
		err = client.Action.WaitFor(ctx, actions...)
	}
	if hcloud.IsError(err, hcloud.ErrorCodeFirewallAlreadyApplied) {
		err = nil
	}
	return err
}

func detach(ctx context.Context, client *hcloud.Client, firewall int64, from []hcloud.FirewallResource) error {
	if len(from) == 0 {
		return nil
	}
	actions, _, err := client.Firewall.RemoveResources(ctx, &hcloud.Firewall{ID: firewall}, from)
	if err == nil {
		err = client.Action.WaitFor(ctx, actions...)
	}
	return err
}

func observeAttachment(firewall *hcloud.Firewall) AttachmentInputs {
	found := AttachmentInputs{FirewallID: int(firewall.ID)}
	for _, target := range firewall.AppliedTo {
		if target.Type == hcloud.FirewallResourceTypeServer {
			found.ServerIDs = append(found.ServerIDs, int(target.Server.ID))
		} else {
			found.LabelSelectors = append(found.LabelSelectors, target.LabelSelector.Selector)
		}
	}
	return found
}

// Read finds all that the firewall is applied to. A firewall that is gone leaves the state.
func (*FirewallAttachment) Read(
	ctx context.Context, req infer.ReadRequest[AttachmentInputs, AttachmentState],
) (infer.ReadResponse[AttachmentInputs, AttachmentState], error) {
	var response infer.ReadResponse[AttachmentInputs, AttachmentState]
	client, id, err := targetOf(req.ID)
	if err != nil {
		return response, err
	}
	firewall, _, err := client.Firewall.GetByID(ctx, id)
	if err != nil || firewall == nil {
		return response, failure(err)
	}
	response.ID, response.Inputs = req.ID, observeAttachment(firewall)
	response.State = AttachmentState{response.Inputs}
	return response, nil
}

// Update removes what is too much and applies what is missing, compared with the cloud.
func (*FirewallAttachment) Update(
	ctx context.Context, req infer.UpdateRequest[AttachmentInputs, AttachmentState],
) (infer.UpdateResponse[AttachmentState], error) {
	response := infer.UpdateResponse[AttachmentState]{Output: AttachmentState{req.Inputs}}
	if req.DryRun {
		return response, nil
	}
	client, err := clientOf()
	if err != nil {
		return response, err
	}
	in := req.Inputs
	firewall, _, err := client.Firewall.GetByID(ctx, int64(in.FirewallID))
	if err == nil && firewall == nil {
		err = errors.New("the firewall is gone: run pulumi refresh")
	}
	if err != nil {
		return response, failure(err)
	}
	has := observeAttachment(firewall)
	err = detach(ctx, client, firewall.ID,
		resourcesOf(missing(has.ServerIDs, in.ServerIDs), missing(has.LabelSelectors, in.LabelSelectors)))
	if err == nil {
		err = apply(ctx, client, firewall.ID,
			resourcesOf(missing(in.ServerIDs, has.ServerIDs), missing(in.LabelSelectors, has.LabelSelectors)))
	}
	return response, failure(err)
}

// Delete takes the firewall off what the state names.
func (*FirewallAttachment) Delete(
	ctx context.Context, req infer.DeleteRequest[AttachmentState],
) (infer.DeleteResponse, error) {
	client, err := clientOf()
	if err != nil {
		return infer.DeleteResponse{}, err
	}
	state := req.State
	err = detach(ctx, client, int64(state.FirewallID), resourcesOf(state.ServerIDs, state.LabelSelectors))
	if isGone(err) || hcloud.IsError(err, hcloud.ErrorCodeFirewallResourceNotFound) {
		err = nil
	}
	return infer.DeleteResponse{}, failure(err)
}
