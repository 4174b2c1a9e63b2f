package cloud

import (
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"maps"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"pillar-host/lab/plugins/shared"
)

type Server struct {
	shared.Resource[ServerInputs, ServerState, server]
}

// ServerInputs contains the inputs that a program sets.
type ServerInputs struct {
	Backups           *bool             `pulumi:"backups,optional"`
	DeleteProtection  *bool             `pulumi:"deleteProtection,optional"`
	FirewallIds       []int             `pulumi:"firewallIds,optional"`
	Image             *string           `pulumi:"image,optional"`
	Labels            map[string]string `pulumi:"labels,optional"`
	Location          *string           `pulumi:"location,optional"`
	Name              *string           `pulumi:"name,optional"`
	RebuildProtection *bool             `pulumi:"rebuildProtection,optional"`
	ServerType        string            `pulumi:"serverType"`
	SSHKeys           []string          `pulumi:"sshKeys,optional"`
	UserData          *string           `pulumi:"userData,optional"`
}

// Annotate sets the default values that Check adds, so that the state contains them.
func (i *ServerInputs) Annotate(a infer.Annotator) {
	for _, field := range []**bool{&i.Backups, &i.DeleteProtection, &i.RebuildProtection} {
		a.SetDefault(field, false)
	}
}

// ServerState contains the inputs and the values that the cloud decides.
type ServerState struct {
	ServerInputs
	IPv4Address string `pulumi:"ipv4Address"`
	Status      string `pulumi:"status"`
}

// WireDependencies keeps addresses known in the preview of an update. It covers only whether a value is computed.
// Whether a value is secret depends on its name.
func (*Server) WireDependencies(f infer.FieldSelector, inputs *ServerInputs, state *ServerState) {
	f.OutputField(&state.UserData).DependsOn(f.InputField(&inputs.UserData).Computed())
}

type server struct{}

func (server) Token() (tokens.ModuleName, tokens.TypeName) { return "index/server", "Server" }

// Plan replaces the user data by its hash, and keeps the cloud's values for inputs that the program leaves out.
func (server) Plan(in ServerInputs, old ServerState) ServerState {
	state := ServerState{in, old.IPv4Address, old.Status}
	if in.Location == nil {
		state.Location = old.Location
	}
	if in.FirewallIds == nil {
		state.FirewallIds = old.FirewallIds
	}
	// The input is the state's hash if ignoreChanges is set.
	if in.UserData != nil && *in.UserData != shared.Or(old.UserData, "") {
		state.UserData = hcloud.Ptr(hashed(*in.UserData))
	}
	return state
}

func hashed(userData string) string {
	sum := sha1.Sum([]byte(userData))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Diff compares the inputs with the state, which contains the user data's hash. Inputs that default to the cloud's
// choice are compared only if the program sets them.
func (server) Diff(d *shared.Diff, in ServerInputs, state ServerState) {
	userData, hash := shared.Or(in.UserData, ""), shared.Or(state.UserData, "")
	d.Replace("image", shared.Differ(in.Image, state.Image))
	d.Replace("location", in.Location != nil && shared.Differ(in.Location, state.Location))
	d.Replace("sshKeys", fmt.Sprint(in.SSHKeys) != fmt.Sprint(state.SSHKeys))
	d.Replace("userData", userData != hash && (userData == "" || hashed(userData) != hash))
	d.Update("serverType", in.ServerType != state.ServerType)
	d.Update("labels", !maps.Equal(in.Labels, state.Labels))
	d.Update("firewallIds", in.FirewallIds != nil && !shared.SameSet(in.FirewallIds, state.FirewallIds))
	d.Update("backups", shared.Differ(in.Backups, state.Backups))
	d.Update("deleteProtection", shared.Differ(in.DeleteProtection, state.DeleteProtection))
	d.Update("rebuildProtection", shared.Differ(in.RebuildProtection, state.RebuildProtection))
	d.Name(state.Name, in.Name)
}

// observe copies the cloud's values into the state. The cloud does not return user data and ssh keys.
func (s *ServerState) observe(server *hcloud.Server) {
	s.Name, s.Labels, s.ServerType = &server.Name, server.Labels, server.ServerType.Name
	s.Location, s.Status = &server.Location.Name, string(server.Status)
	s.Backups = hcloud.Ptr(server.BackupWindow != "")
	s.DeleteProtection, s.RebuildProtection = &server.Protection.Delete, &server.Protection.Rebuild
	s.Image = nil
	if server.Image != nil {
		s.Image = &server.Image.Name
	}
	s.FirewallIds = []int{}
	for _, applied := range server.PublicNet.Firewalls {
		s.FirewallIds = append(s.FirewallIds, int(applied.Firewall.ID))
	}
	s.IPv4Address = ""
	if !server.PublicNet.IPv4.IsUnspecified() {
		s.IPv4Address = server.PublicNet.IPv4.IP.String()
	}
}

// ReadInputs returns the inputs after a refresh or an import. After a refresh, they are the inputs that the program
// sets, with the cloud's values, so differences show. After an import, they are all inputs that can be read, and the
// program's inputs are compared with them.
func (server) ReadInputs(in ServerInputs, state ServerState, imported bool) ServerInputs {
	inputs := state.ServerInputs
	inputs.UserData, inputs.SSHKeys = in.UserData, in.SSHKeys
	if imported {
		return inputs
	}
	if in.Location == nil {
		inputs.Location = nil
	}
	if in.FirewallIds == nil {
		inputs.FirewallIds = nil
	}
	return inputs
}
