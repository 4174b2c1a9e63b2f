package main

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/shared"
)

type Server struct {
	shared.Resource[ServerInputs, ServerState, *ServerState]
}

func (*Server) Annotate(a infer.Annotator) { a.SetToken("index/server", "Server") }

// ServerInputs contains the inputs that a program sets.
type ServerInputs struct {
	Backups           *bool             `pulumi:"backups,optional"`
	DeleteProtection  *bool             `pulumi:"deleteProtection,optional"`
	FirewallIds       []int             `pulumi:"firewallIds,optional"`
	Image             *string           `pulumi:"image,optional" provider:"replaceOnChanges"`
	Labels            map[string]string `pulumi:"labels,optional"`
	Location          *string           `pulumi:"location,optional" provider:"replaceOnChanges"`
	Name              string            `pulumi:"name"`
	RebuildProtection *bool             `pulumi:"rebuildProtection,optional"`
	ServerType        string            `pulumi:"serverType"`
	SSHKeys           []string          `pulumi:"sshKeys,optional" provider:"replaceOnChanges"`
	UserData          *string           `pulumi:"userData,optional" provider:"replaceOnChanges"`
}

// ServerState contains the inputs and the values that the cloud decides.
type ServerState struct {
	ServerInputs
	IPv4Address string `pulumi:"ipv4Address"`
	Status      string `pulumi:"status"`
}

func (s *ServerState) Inputs() *ServerInputs { return &s.ServerInputs }

// Create orders the server, waits until it runs, and protects it.
func (s *ServerState) Create(ctx context.Context) (string, error) {
	order := hcloud.ServerCreateOpts{
		Name:       s.Name,
		ServerType: &hcloud.ServerType{Name: s.ServerType},
		Image:      &hcloud.Image{Name: shared.Or(s.Image, "")},
		Location:   &hcloud.Location{Name: shared.Or(s.Location, "")},
		UserData:   shared.Or(s.UserData, ""),
		Labels:     s.Labels,
	}
	for _, id := range s.SSHKeys {
		order.SSHKeys = append(order.SSHKeys, &hcloud.SSHKey{ID: number(id)})
	}
	for _, id := range s.FirewallIds {
		order.Firewalls = append(order.Firewalls, &hcloud.ServerCreateFirewall{Firewall: hcloud.Firewall{ID: int64(id)}})
	}
	made, _, err := api(ctx).Server.Create(ctx, order)
	if err != nil {
		return "", err
	}
	// The server exists from here on, so the state must contain it even after an error.
	id := strconv.FormatInt(made.Server.ID, 10)
	err = api(ctx).Action.WaitFor(ctx, append(made.NextActions, made.Action)...)
	if err == nil && shared.Or(s.Backups, false) {
		err = s.enableBackups(ctx, id)
	}
	if err == nil {
		err = s.protect(ctx, id, ServerState{})
	}
	if err == nil {
		_, err = s.Read(ctx, id)
	}
	return id, err
}

func (*ServerState) enableBackups(ctx context.Context, id string) error {
	action, _, err := api(ctx).Server.EnableBackup(ctx, &hcloud.Server{ID: number(id)}, "")
	if err != nil {
		return err
	}
	return api(ctx).Action.WaitFor(ctx, action)
}

// protect changes the protection if inputs and state differ. It does not compare with the cloud.
func (s *ServerState) protect(ctx context.Context, id string, old ServerState) error {
	wanted := shared.Or(s.DeleteProtection, false)
	if wanted == shared.Or(old.DeleteProtection, false) {
		return nil
	}
	options := hcloud.ServerChangeProtectionOpts{Delete: &wanted, Rebuild: s.RebuildProtection}
	action, _, err := api(ctx).Server.ChangeProtection(ctx, &hcloud.Server{ID: number(id)}, options)
	if err != nil {
		return err
	}
	return api(ctx).Action.WaitFor(ctx, action)
}

// Read leaves user data and ssh keys alone, which the cloud does not return.
func (s *ServerState) Read(ctx context.Context, id string) (bool, error) {
	found, _, err := api(ctx).Server.GetByID(ctx, number(id))
	if err != nil || found == nil {
		return false, err
	}
	s.Name, s.Labels, s.ServerType = found.Name, found.Labels, found.ServerType.Name
	s.Location, s.Status = &found.Location.Name, string(found.Status)
	s.DeleteProtection, s.RebuildProtection = &found.Protection.Delete, &found.Protection.Rebuild
	s.Backups = hcloud.Ptr(found.BackupWindow != "")
	if found.Image != nil {
		s.Image = &found.Image.Name
	}
	s.FirewallIds = nil
	for _, applied := range found.PublicNet.Firewalls {
		s.FirewallIds = append(s.FirewallIds, int(applied.Firewall.ID))
	}
	if s.IPv4Address = ""; !found.PublicNet.IPv4.IsUnspecified() {
		s.IPv4Address = found.PublicNet.IPv4.IP.String()
	}
	return true, nil
}

// Update changes the protection, which is all that the program changes.
func (s *ServerState) Update(ctx context.Context, id string, old ServerState) error {
	if s.ServerType != old.ServerType || s.Name != old.Name || !maps.Equal(s.Labels, old.Labels) ||
		!slices.Equal(s.FirewallIds, old.FirewallIds) || shared.Or(s.Backups, false) != shared.Or(old.Backups, false) {
		return shared.ErrNotHere
	}
	err := s.protect(ctx, id, old)
	if err == nil {
		_, err = s.Read(ctx, id)
	}
	return err
}

// Delete fails if the server is protected or already gone, like the original.
func (*ServerState) Delete(ctx context.Context, id string) error {
	result, _, err := api(ctx).Server.DeleteWithResult(ctx, &hcloud.Server{ID: number(id)})
	if err != nil {
		return err
	}
	return api(ctx).Action.WaitFor(ctx, result.Action)
}
