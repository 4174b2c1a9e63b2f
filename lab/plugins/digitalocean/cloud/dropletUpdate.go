package cloud

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Update makes the changes one after the other, each waited for.
func (*Droplet) Update(
	ctx context.Context, req infer.UpdateRequest[DropletArgs, DropletState],
) (infer.UpdateResponse[DropletState], error) {
	old, new := req.State, req.Inputs
	state := DropletState{
		DropletArgs: new, CreatedAt: old.CreatedAt, Disk: old.Disk, DropletURN: old.DropletURN,
		IPv4Address: old.IPv4Address, IPv4AddressPrivate: old.IPv4AddressPrivate, Locked: old.Locked,
		Memory: old.Memory, PriceHourly: old.PriceHourly, PriceMonthly: old.PriceMonthly,
		Status: old.Status, Vcpus: old.Vcpus,
	}
	state.UserData = hashed(new.UserData)
	response := infer.UpdateResponse[DropletState]{Output: state}
	if req.DryRun {
		return response, nil
	}
	id, err := strconv.Atoi(req.ID)
	if err != nil {
		return response, failed("invalid droplet id", err)
	}
	change := change{ctx: ctx, id: id, state: &old, actions: api(ctx).DropletActions}
	wanted := new
	if old.isWaitedFor(new) {
		// The original reads the Droplet while it waits, over what else was to be changed: the next update does that.
		wanted.Backups, wanted.IPv6 = old.Backups, old.IPv6
	}
	for _, step := range []func(DropletArgs) error{
		change.size, change.name, change.backups, change.ipv6, change.tags,
	} {
		if err = step(wanted); err != nil {
			break
		}
	}
	droplet, _, readErr := api(ctx).Droplets.Get(context.Background(), id)
	if readErr != nil {
		return response, failed("Error retrieving droplet", readErr)
	}
	response.Output.read(droplet)
	if err != nil {
		// What was done before it is kept.
		return response, infer.ResourceInitFailedError{Reasons: []string{err.Error()}}
	}
	return response, nil
}

// change is one update under way.
type change struct {
	ctx     context.Context
	id      int
	state   *DropletState
	actions godo.DropletActionsService
}

// Whether an update waits until the Droplet shows it.
func (s DropletState) isWaitedFor(new DropletArgs) bool {
	return !strings.EqualFold(s.Size, new.Size) || differ(s.Name, new.Name)
}

func (c change) size(new DropletArgs) error {
	if strings.EqualFold(c.state.Size, new.Size) {
		return nil
	}
	_, _, err := c.actions.PowerOff(context.Background(), c.id)
	if err != nil && !strings.Contains(err.Error(), "Droplet is already powered off") {
		return failed(fmt.Sprintf("Error powering off droplet (%d)", c.id), err)
	}
	if err := c.waitFor("status", []string{"active"}, "off"); err != nil {
		return failed(fmt.Sprintf("Error waiting for droplet (%d) to become powered off", c.id), err)
	}
	action, _, err := c.actions.Resize(context.Background(), c.id, new.Size, valueOr(new.ResizeDisk, true))
	if err == nil {
		err = waitForAction(c.ctx, c.id, action.ID)
	}
	// Whatever became of the resize, the Droplet is not left off.
	if _, _, powerErr := c.actions.PowerOn(context.Background(), c.id); powerErr != nil {
		return failed(fmt.Sprintf("Error powering on droplet (%d) after resize", c.id), powerErr)
	}
	if waitErr := c.waitFor("status", []string{"off"}, "active"); waitErr != nil {
		return failed(fmt.Sprintf("Error waiting for droplet (%d) to become active", c.id), waitErr)
	}
	if err != nil {
		return failed(fmt.Sprintf("Error resizing droplet (%d)", c.id), err)
	}
	return nil
}

func (c change) name(new DropletArgs) error {
	if !differ(c.state.Name, new.Name) {
		return nil
	}
	name := valueOr(new.Name, "")
	old := valueOr(c.state.Name, "")
	_, _, err := c.actions.Rename(context.Background(), c.id, name)
	if err == nil {
		err = c.waitFor("name", []string{old}, name)
	}
	if err != nil {
		return failed(fmt.Sprintf("Error renaming droplet (%d)", c.id), err)
	}
	return nil
}

func (c change) backups(new DropletArgs) error {
	wanted, policy := valueOr(new.Backups, false), new.BackupPolicy
	if policy != nil && !wanted {
		return errPolicyWithoutBackups
	}
	switched := valueOr(c.state.Backups, false) != wanted
	var action *godo.Action
	var err error
	switch {
	case switched && wanted && policy != nil:
		action, _, err = c.actions.EnableBackupsWithPolicy(context.Background(), c.id, policy.request())
	case switched && wanted:
		action, _, err = c.actions.EnableBackups(context.Background(), c.id)
	case switched:
		action, _, err = c.actions.DisableBackups(context.Background(), c.id)
	case policy != nil && policy.differs(c.state.BackupPolicy):
		action, _, err = c.actions.ChangeBackupPolicy(context.Background(), c.id, policy.request())
	default:
		return nil
	}
	if err == nil {
		err = waitForAction(c.ctx, c.id, action.ID)
	}
	if err != nil {
		return failed(fmt.Sprintf("Error changing backups on droplet (%d)", c.id), err)
	}
	return nil
}

func (c change) ipv6(new DropletArgs) error {
	if !valueOr(new.IPv6, false) || valueOr(c.state.IPv6, false) {
		return nil
	}
	_, _, err := c.actions.EnableIPv6(context.Background(), c.id)
	if err == nil {
		err = c.waitFor("ipv6", []string{"false"}, "true")
	}
	if err != nil {
		return failed(fmt.Sprintf("Error turning on ipv6 for droplet (%d)", c.id), err)
	}
	return nil
}

func (c change) tags(new DropletArgs) error {
	client := api(c.ctx)
	resources := []godo.Resource{{ID: strconv.Itoa(c.id), Type: godo.DropletResourceType}}
	// In another spelling it is taken off and put on again, though it alone is no change.
	for _, tag := range c.state.Tags {
		if slices.Contains(new.Tags, tag) {
			continue
		}
		request := &godo.UntagResourcesRequest{Resources: resources}
		if _, err := client.Tags.UntagResources(context.Background(), tag, request); err != nil {
			return failed("Error updating tags", err)
		}
	}
	for _, tag := range new.Tags {
		if slices.Contains(c.state.Tags, tag) {
			continue
		}
		made, _, err := client.Tags.Create(context.Background(), &godo.TagCreateRequest{Name: tag})
		if err == nil {
			request := &godo.TagResourcesRequest{Resources: resources}
			_, err = client.Tags.TagResources(context.Background(), made.Name, request)
		}
		if err != nil {
			return failed("Error updating tags", err)
		}
	}
	return nil
}

func (c change) waitFor(attribute string, pending []string, target string) error {
	seen := *c.state
	return seen.waitFor(c.ctx, c.id, attribute, pending, target, dropletTimeout)
}
