package cloud

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"pillar-host/lab/plugins/shared"
)

type steps []func() ([]*hcloud.Action, error)

// run executes one step after another and waits for the actions of each.
func (s steps) run(ctx context.Context, client *hcloud.Client) error {
	for _, step := range s {
		actions, err := step()
		if err == nil {
			err = client.Action.WaitFor(ctx, actions...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Create orders the server and waits until it runs. Then it applies the settings that need an existing server.
func (server) Create(ctx context.Context, in ServerInputs, state *ServerState) (string, error) {
	client, err := clientOf(ctx)
	if err != nil {
		return "", err
	}
	options, err := orderOf(ctx, client, in)
	if err != nil {
		return "", failure(err)
	}
	result, _, err := client.Server.Create(ctx, options)
	if err != nil {
		return "", failure(err)
	}
	// The server exists from here on, so the state must contain it even after an error.
	made := result.Server
	err = client.Action.WaitFor(ctx, append([]*hcloud.Action{result.Action}, result.NextActions...)...)
	if err == nil {
		err = settings(ctx, client, made, in, ServerInputs{}).run(ctx, client)
	}
	if err == nil {
		_, err = state.refresh(ctx, client, made.ID)
	}
	return textOf(made.ID), halfMade(err)
}

func orderOf(ctx context.Context, client *hcloud.Client, in ServerInputs) (hcloud.ServerCreateOpts, error) {
	order := hcloud.ServerCreateOpts{
		Name: shared.Or(in.Name, ""), UserData: shared.Or(in.UserData, ""), Labels: in.Labels,
	}
	var err error
	order.ServerType, _, err = client.ServerType.Get(ctx, in.ServerType)
	if err == nil && order.ServerType == nil {
		err = fmt.Errorf("server type %s not found", in.ServerType)
	}
	if err != nil {
		return order, err
	}
	name, architecture := shared.Or(in.Image, ""), order.ServerType.Architecture
	images, _, err := client.Image.List(ctx, hcloud.ImageListOpts{
		Name: name, IncludeDeprecated: true, Architecture: []hcloud.Architecture{architecture},
	})
	if err == nil && len(images) == 0 {
		err = fmt.Errorf("image %s for architecture %s not found", name, architecture)
	}
	if err != nil {
		return order, err
	}
	order.Image = images[0]
	for _, idOrName := range in.SSHKeys {
		key, _, err := client.SSHKey.Get(ctx, idOrName)
		if err == nil && key == nil {
			err = fmt.Errorf("SSH key not found: %s", idOrName)
		}
		if err != nil {
			return order, err
		}
		order.SSHKeys = append(order.SSHKeys, key)
	}
	if in.Location != nil {
		order.Location = &hcloud.Location{Name: *in.Location}
	}
	for _, id := range in.FirewallIds {
		order.Firewalls = append(order.Firewalls, &hcloud.ServerCreateFirewall{Firewall: hcloud.Firewall{ID: int64(id)}})
	}
	return order, nil
}

// settings returns the steps that change backups and protection where they differ.
func settings(ctx context.Context, client *hcloud.Client, target *hcloud.Server, in, old ServerInputs) steps {
	var changes steps
	if shared.Differ(in.Backups, old.Backups) {
		changes = append(changes, func() ([]*hcloud.Action, error) {
			if shared.Or(in.Backups, false) {
				action, _, err := client.Server.EnableBackup(ctx, target, "")
				return []*hcloud.Action{action}, err
			}
			action, _, err := client.Server.DisableBackup(ctx, target)
			return []*hcloud.Action{action}, err
		})
	}
	if shared.Differ(in.DeleteProtection, old.DeleteProtection) ||
		shared.Differ(in.RebuildProtection, old.RebuildProtection) {
		changes = append(changes, func() ([]*hcloud.Action, error) {
			action, _, err := client.Server.ChangeProtection(ctx, target, hcloud.ServerChangeProtectionOpts{
				Delete:  hcloud.Ptr(shared.Or(in.DeleteProtection, false)),
				Rebuild: hcloud.Ptr(shared.Or(in.RebuildProtection, false)),
			})
			return []*hcloud.Action{action}, err
		})
	}
	return changes
}

func (s *ServerState) refresh(ctx context.Context, client *hcloud.Client, id int64) (bool, error) {
	found, _, err := client.Server.GetByID(ctx, id)
	if err != nil || found == nil {
		return false, err
	}
	s.observe(found)
	return true, nil
}

func (server) Read(ctx context.Context, id string, state *ServerState) (bool, error) {
	client, number, err := targetOf(ctx, id)
	if err != nil {
		return false, err
	}
	found, err := state.refresh(ctx, client, number)
	return found, failure(err)
}

// Update changes backups and protection where inputs and state differ. It does not compare with the cloud.
func (server) Update(ctx context.Context, id string, in ServerInputs, old ServerState, state *ServerState) error {
	client, number, err := targetOf(ctx, id)
	if err != nil {
		return err
	}
	target, _, err := client.Server.GetByID(ctx, number)
	if err == nil && target == nil {
		return errors.New("Resource provider reported that the resource did not exist while updating the server.")
	}
	if in.ServerType != old.ServerType || shared.Differ(in.Name, old.Name) || !maps.Equal(in.Labels, old.Labels) ||
		(in.FirewallIds != nil && !shared.SameSet(in.FirewallIds, old.FirewallIds)) {
		return errors.New("a changed server type, name, label or firewall is not in the lab's stand-in for this plugin")
	}
	if err == nil {
		err = settings(ctx, client, target, in, old.ServerInputs).run(ctx, client)
	}
	if err == nil {
		_, err = state.refresh(ctx, client, number)
	}
	return failure(err)
}

// Delete fails if the server is protected or already gone, like the original.
func (server) Delete(ctx context.Context, id string, _ ServerState) error {
	client, number, err := targetOf(ctx, id)
	if err != nil {
		return err
	}
	result, _, err := client.Server.DeleteWithResult(ctx, &hcloud.Server{ID: number})
	if err == nil {
		err = client.Action.WaitFor(ctx, result.Action)
	}
	return failure(err)
}
