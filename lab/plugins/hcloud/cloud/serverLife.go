package cloud

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/pulumi/pulumi-go-provider/infer"
)

const (
	shutdownTries    = 5
	shutdownInterval = 6 * time.Second
)

type ip = net.IP

type steps []func() (*hcloud.Action, error)

// run does one step after the other, waiting for the action of each.
func (s steps) run(ctx context.Context, client *hcloud.Client) error {
	for _, step := range s {
		action, err := step()
		if err == nil {
			err = client.Action.WaitFor(ctx, action)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Create orders the server and waits until it runs, then sets what can be set only then.
func (s *Server) Create(
	ctx context.Context, req infer.CreateRequest[ServerInputs],
) (infer.CreateResponse[ServerState], error) {
	state := asked(req.Inputs)
	response := infer.CreateResponse[ServerState]{Output: state}
	if req.DryRun {
		return response, nil
	}
	client, err := clientOf()
	if err != nil {
		return response, err
	}
	options, err := orderOf(ctx, client, req.Inputs)
	if err != nil {
		return response, failure(err)
	}
	result, _, err := client.Server.Create(ctx, options)
	if err != nil {
		return response, failure(err)
	}
	response.ID = strconv.FormatInt(result.Server.ID, 10)

	// From here on the server exists: the state has to know it, whatever happens.
	err = client.Action.WaitFor(ctx, append([]*hcloud.Action{result.Action}, result.NextActions...)...)
	if err == nil {
		err = afterCreate(ctx, client, result.Server, req.Inputs).run(ctx, client)
	}
	if err == nil {
		err = refreshed(ctx, client, result.Server.ID, &response.Output)
	}
	if err != nil {
		return response, halfMade(err)
	}
	return response, nil
}

func orderOf(ctx context.Context, client *hcloud.Client, in ServerInputs) (hcloud.ServerCreateOpts, error) {
	serverType, _, err := client.ServerType.Get(ctx, in.ServerType)
	if err == nil && serverType == nil {
		err = fmt.Errorf("server type %s not found", in.ServerType)
	}
	if err != nil {
		return hcloud.ServerCreateOpts{}, err
	}
	name := valueOr(in.Image, "")
	options := hcloud.ImageListOpts{IncludeDeprecated: true, Architecture: []hcloud.Architecture{serverType.Architecture}}
	image, err := findImage(ctx, client, name, options)
	if err == nil && image == nil {
		err = fmt.Errorf("image %s for architecture %s not found", name, serverType.Architecture)
	}
	if err != nil {
		return hcloud.ServerCreateOpts{}, err
	}

	order := hcloud.ServerCreateOpts{
		Name: valueOr(in.Name, ""), ServerType: serverType, Image: image, UserData: valueOr(in.UserData, ""),
		Labels: in.Labels,
	}
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
	for _, public := range in.PublicNets {
		order.PublicNet = &hcloud.ServerCreatePublicNet{
			EnableIPv4: valueOr(public.IPv4Enabled, true), EnableIPv6: valueOr(public.IPv6Enabled, true),
		}
	}
	return order, nil
}

func afterCreate(ctx context.Context, client *hcloud.Client, server *hcloud.Server, in ServerInputs) steps {
	var after steps
	if valueOr(in.Backups, false) {
		after = append(after, backups(ctx, client, server, true))
	}
	if valueOr(in.DeleteProtection, false) || valueOr(in.RebuildProtection, false) {
		after = append(after, protection(ctx, client, server, in.DeleteProtection, in.RebuildProtection))
	}
	return after
}

func backups(
	ctx context.Context, client *hcloud.Client, server *hcloud.Server, enable bool,
) func() (*hcloud.Action, error) {
	return func() (*hcloud.Action, error) {
		if !enable {
			action, _, err := client.Server.DisableBackup(ctx, server)
			return action, err
		}
		action, _, err := client.Server.EnableBackup(ctx, server, "")
		return action, err
	}
}

func protection(
	ctx context.Context, client *hcloud.Client, server *hcloud.Server, deletion, rebuild *bool,
) func() (*hcloud.Action, error) {
	return func() (*hcloud.Action, error) {
		options := hcloud.ServerChangeProtectionOpts{
			Delete: hcloud.Ptr(valueOr(deletion, false)), Rebuild: hcloud.Ptr(valueOr(rebuild, false)),
		}
		action, _, err := client.Server.ChangeProtection(ctx, server, options)
		return action, err
	}
}

func refreshed(ctx context.Context, client *hcloud.Client, id int64, state *ServerState) error {
	server, _, err := client.Server.GetByID(ctx, id)
	if err == nil && server == nil {
		err = errors.New("the server is gone")
	}
	if err == nil {
		state.observe(server)
	}
	return err
}

// Read looks at the server. One that is gone leaves the state.
func (*Server) Read(
	ctx context.Context, req infer.ReadRequest[ServerInputs, ServerState],
) (infer.ReadResponse[ServerInputs, ServerState], error) {
	var response infer.ReadResponse[ServerInputs, ServerState]
	client, id, err := targetOf(req.ID)
	if err != nil {
		return response, err
	}
	server, _, err := client.Server.GetByID(ctx, id)
	if err != nil || server == nil {
		return response, failure(err)
	}
	imported := req.Inputs.ServerType == ""
	response.ID, response.State = req.ID, req.State
	response.State.observe(server)
	response.Inputs = observedInputs(req.Inputs, response.State, imported)
	return response, nil
}

// Delete shuts down first where that is asked for, and deletes. As with the original, a server that is protected or gone
// is an error.
func (*Server) Delete(ctx context.Context, req infer.DeleteRequest[ServerState]) (infer.DeleteResponse, error) {
	client, id, err := targetOf(req.ID)
	if err != nil {
		return infer.DeleteResponse{}, err
	}
	server := &hcloud.Server{ID: id}
	if valueOr(req.State.ShutdownBeforeDeletion, false) {
		err = shutDown(ctx, client, server)
	}
	if err == nil {
		var result *hcloud.ServerDeleteResult
		if result, _, err = client.Server.DeleteWithResult(ctx, server); err == nil {
			err = client.Action.WaitFor(ctx, result.Action)
		}
	}
	return infer.DeleteResponse{}, failure(err)
}

// shutDown gives up quietly: the server is deleted anyway.
func shutDown(ctx context.Context, client *hcloud.Client, server *hcloud.Server) error {
	action, _, err := client.Server.Shutdown(ctx, server)
	if err == nil {
		err = client.Action.WaitFor(ctx, action)
	}
	for try := 0; err == nil && try < shutdownTries; try++ {
		var now *hcloud.Server
		if now, _, err = client.Server.GetByID(ctx, server.ID); err != nil || now == nil ||
			now.Status == hcloud.ServerStatusOff {
			break
		}
		time.Sleep(shutdownInterval)
	}
	return err
}

// findImage finds an image by id or name; nil where there is none.
func findImage(
	ctx context.Context, client *hcloud.Client, idOrName string, options hcloud.ImageListOpts,
) (*hcloud.Image, error) {
	if id, err := strconv.ParseInt(idOrName, 10, 64); err == nil {
		image, _, err := client.Image.GetByID(ctx, id)
		return image, err
	}
	options.Name = idOrName
	images, _, err := client.Image.List(ctx, options)
	if err != nil || len(images) == 0 {
		return nil, err
	}
	return images[0], nil
}
