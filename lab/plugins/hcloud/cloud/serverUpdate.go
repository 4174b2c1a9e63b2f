package cloud

import (
	"context"
	"errors"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Update changes what differs from the state: not what differs from the cloud.
func (*Server) Update(
	ctx context.Context, req infer.UpdateRequest[ServerInputs, ServerState],
) (infer.UpdateResponse[ServerState], error) {
	state := asked(req.Inputs)
	state.keepDecided(req.State)
	response := infer.UpdateResponse[ServerState]{Output: state}
	if req.DryRun {
		return response, nil
	}
	client, id, err := targetOf(req.ID)
	if err != nil {
		return response, err
	}
	server, _, err := client.Server.GetByID(ctx, id)
	if err == nil && server == nil {
		return response, errors.New("Resource provider reported that the resource did not exist while updating the server.")
	}
	if err == nil {
		err = change(ctx, client, server, req.State, req.Inputs)
	}
	if err == nil {
		err = refreshed(ctx, client, id, &response.Output)
	}
	return response, failure(err)
}

// keepDecided fills in what the program leaves to the cloud, and what the cloud says in any case.
func (s *ServerState) keepDecided(old ServerState) {
	if s.Location == nil {
		s.Location = old.Location
	}
	if s.FirewallIds == nil {
		s.FirewallIds = old.FirewallIds
	}
	// Under ignoreChanges the input is what the state has: the hash.
	if s.UserData != nil && valueOr(old.UserData, "") != "" && *s.UserData == sha1Of(*old.UserData) {
		s.UserData = old.UserData
	}
	s.BackupWindow, s.Status, s.PrimaryDiskSize = old.BackupWindow, old.Status, old.PrimaryDiskSize
	s.IPv4Address, s.IPv6Address, s.IPv6Network = old.IPv4Address, old.IPv6Address, old.IPv6Network
}

func change(
	ctx context.Context, client *hcloud.Client, server *hcloud.Server, old ServerState, in ServerInputs,
) error {
	if in.PublicNets != nil && !samePublicNets(in.PublicNets, old.PublicNets) {
		return errors.New("changed publicNets are not in the lab's stand-in for this plugin")
	}
	if valueOr(in.Name, "") != valueOr(old.Name, "") {
		if _, _, err := client.Server.Update(ctx, server, hcloud.ServerUpdateOpts{Name: *in.Name}); err != nil {
			return err
		}
	}
	if !sameLabels(in.Labels, old.Labels) {
		labels := in.Labels
		if labels == nil {
			labels = map[string]string{}
		}
		if _, _, err := client.Server.Update(ctx, server, hcloud.ServerUpdateOpts{Labels: labels}); err != nil {
			return err
		}
	}
	var changes steps
	if in.ServerType != old.ServerType {
		changes = append(changes, changeType(ctx, client, server, in)...)
	}
	if enable := valueOr(in.Backups, false); enable != valueOr(old.Backups, false) {
		changes = append(changes, backups(ctx, client, server, enable))
	}
	if in.FirewallIds != nil {
		changes = append(changes, changeFirewalls(ctx, client, server, in.FirewallIds)...)
	}
	if valueOr(in.DeleteProtection, false) != valueOr(old.DeleteProtection, false) ||
		valueOr(in.RebuildProtection, false) != valueOr(old.RebuildProtection, false) {
		changes = append(changes, protection(ctx, client, server, in.DeleteProtection, in.RebuildProtection))
	}
	return changes.run(ctx, client)
}

func changeType(ctx context.Context, client *hcloud.Client, server *hcloud.Server, in ServerInputs) steps {
	var changes steps
	if server.Status == hcloud.ServerStatusRunning {
		changes = append(changes, func() (*hcloud.Action, error) {
			action, _, err := client.Server.Poweroff(ctx, server)
			return action, err
		})
	}
	// The API starts the server again.
	return append(changes, func() (*hcloud.Action, error) {
		action, _, err := client.Server.ChangeType(ctx, server, hcloud.ServerChangeTypeOpts{
			ServerType: &hcloud.ServerType{Name: in.ServerType}, UpgradeDisk: !valueOr(in.KeepDisk, false),
		})
		return action, err
	})
}

func changeFirewalls(ctx context.Context, client *hcloud.Client, server *hcloud.Server, wanted []int) steps {
	var applied []int
	for _, status := range server.PublicNet.Firewalls {
		applied = append(applied, int(status.Firewall.ID))
	}
	on := []hcloud.FirewallResource{serverResource(server.ID)}
	var changes steps
	for _, id := range missing(applied, wanted) {
		changes = append(changes, func() (*hcloud.Action, error) {
			actions, _, err := client.Firewall.RemoveResources(ctx, &hcloud.Firewall{ID: int64(id)}, on)
			return first(ctx, client, actions, err)
		})
	}
	for _, id := range missing(wanted, applied) {
		changes = append(changes, func() (*hcloud.Action, error) {
			actions, _, err := client.Firewall.ApplyResources(ctx, &hcloud.Firewall{ID: int64(id)}, on)
			return first(ctx, client, actions, err)
		})
	}
	return changes
}

// first waits for all actions of one call, and returns none.
func first(ctx context.Context, client *hcloud.Client, actions []*hcloud.Action, err error) (*hcloud.Action, error) {
	if err == nil {
		err = client.Action.WaitFor(ctx, actions...)
	}
	return nil, err
}
