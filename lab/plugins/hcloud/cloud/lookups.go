package cloud

import (
	"context"
	"errors"
	"fmt"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// FoundServer is a server that a function found.
type FoundServer struct {
	BackupWindow      string            `json:"backupWindow"`
	Backups           bool              `json:"backups"`
	Datacenter        string            `json:"datacenter"`
	DeleteProtection  bool              `json:"deleteProtection"`
	FirewallIDs       []int             `json:"firewallIds"`
	ID                int               `json:"id"`
	Image             string            `json:"image"`
	IPv4Address       string            `json:"ipv4Address"`
	IPv6Address       string            `json:"ipv6Address"`
	IPv6Network       string            `json:"ipv6Network"`
	ISO               string            `json:"iso"`
	Labels            map[string]string `json:"labels"`
	Location          string            `json:"location"`
	Name              string            `json:"name"`
	PrimaryDiskSize   int               `json:"primaryDiskSize"`
	RebuildProtection bool              `json:"rebuildProtection"`
	Rescue            string            `json:"rescue"`
	ServerType        string            `json:"serverType"`
	Status            string            `json:"status"`
}

func foundServer(server *hcloud.Server) FoundServer {
	var state ServerState
	state.observe(server)
	return FoundServer{
		BackupWindow: state.BackupWindow, Backups: *state.Backups, DeleteProtection: *state.DeleteProtection,
		FirewallIDs: state.FirewallIds, ID: int(server.ID), Image: valueOr(state.Image, ""),
		IPv4Address: state.IPv4Address, IPv6Address: state.IPv6Address, IPv6Network: state.IPv6Network,
		Labels: state.Labels, Location: *state.Location, Name: *state.Name, PrimaryDiskSize: state.PrimaryDiskSize,
		RebuildProtection: *state.RebuildProtection, ServerType: state.ServerType, Status: state.Status,
	}
}

// ServerQuery is how a server is asked for.
type ServerQuery struct {
	ByIDOrName
	WithSelector *string  `json:"withSelector,omitempty"`
	WithStatuses []string `json:"withStatuses,omitempty"`
}

func getServer(ctx context.Context, client *hcloud.Client, in ServerQuery) (FoundServer, error) {
	var server *hcloud.Server
	var err error
	if in.WithSelector != nil {
		var servers []*hcloud.Server
		servers, err = client.Server.AllWithOpts(ctx, serverOptions(in.WithSelector, in.WithStatuses))
		if len(servers) > 1 {
			err = fmt.Errorf("more than one server found for selector %q", *in.WithSelector)
		} else if len(servers) == 1 {
			server = servers[0]
		}
	} else {
		var wanted string
		if wanted, err = in.text(); err == nil {
			server, _, err = client.Server.Get(ctx, wanted)
		}
	}
	if err == nil && server == nil {
		err = errors.New("no server found")
	}
	if err != nil {
		return FoundServer{}, err
	}
	return foundServer(server), nil
}

func serverOptions(selector *string, statuses []string) hcloud.ServerListOpts {
	var options hcloud.ServerListOpts
	options.LabelSelector = valueOr(selector, "")
	for _, status := range statuses {
		options.Status = append(options.Status, hcloud.ServerStatus(status))
	}
	return options
}

// ServersQuery is how servers are asked for.
type ServersQuery struct {
	WithSelector *string  `json:"withSelector,omitempty"`
	WithStatuses []string `json:"withStatuses,omitempty"`
}

// FoundServers is the answer of getServers.
type FoundServers struct {
	ID      string        `json:"id"`
	Servers []FoundServer `json:"servers"`
}

func getServers(ctx context.Context, client *hcloud.Client, in ServersQuery) (FoundServers, error) {
	servers, err := client.Server.AllWithOpts(ctx, serverOptions(in.WithSelector, in.WithStatuses))
	if err != nil {
		return FoundServers{}, err
	}
	found, ids := FoundServers{Servers: []FoundServer{}}, ""
	for _, server := range servers {
		found.Servers = append(found.Servers, foundServer(server))
		ids += fmt.Sprint(server.ID, "-")
	}
	found.ID = sha1Of(ids)
	return found, nil
}

// SSHKeysQuery is how keys are asked for.
type SSHKeysQuery struct {
	WithSelector *string `json:"withSelector,omitempty"`
}

// FoundSSHKey is a key that a function found.
type FoundSSHKey struct {
	Fingerprint string            `json:"fingerprint"`
	ID          int               `json:"id"`
	Labels      map[string]string `json:"labels"`
	Name        string            `json:"name"`
	PublicKey   string            `json:"publicKey"`
}

// FoundSSHKeys is the answer of getSshKeys.
type FoundSSHKeys struct {
	ID      string        `json:"id"`
	SSHKeys []FoundSSHKey `json:"sshKeys"`
}

func getSSHKeys(ctx context.Context, client *hcloud.Client, in SSHKeysQuery) (FoundSSHKeys, error) {
	var options hcloud.SSHKeyListOpts
	options.LabelSelector = valueOr(in.WithSelector, "")
	keys, err := client.SSHKey.AllWithOpts(ctx, options)
	if err != nil {
		return FoundSSHKeys{}, err
	}
	found, ids := FoundSSHKeys{SSHKeys: []FoundSSHKey{}}, ""
	for _, key := range keys {
		found.SSHKeys = append(found.SSHKeys, FoundSSHKey{
			Fingerprint: key.Fingerprint, ID: int(key.ID), Labels: key.Labels, Name: key.Name, PublicKey: key.PublicKey,
		})
		ids += fmt.Sprint(key.ID, "-")
	}
	found.ID = sha1Of(ids)
	return found, nil
}
