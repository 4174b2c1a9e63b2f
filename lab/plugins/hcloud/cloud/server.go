package cloud

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Server is a cloud server.
type Server struct{}

// Annotate names the type as the original does.
func (s *Server) Annotate(a infer.Annotator) { a.SetToken("index/server", "Server") }

// ServerInputs are what a program sets.
type ServerInputs struct {
	AllowDeprecatedImages   *bool             `pulumi:"allowDeprecatedImages,optional"`
	Backups                 *bool             `pulumi:"backups,optional"`
	Datacenter              *string           `pulumi:"datacenter,optional"`
	DeleteProtection        *bool             `pulumi:"deleteProtection,optional"`
	FirewallIds             []int             `pulumi:"firewallIds,optional"`
	IgnoreRemoteFirewallIds *bool             `pulumi:"ignoreRemoteFirewallIds,optional"`
	Image                   *string           `pulumi:"image,optional"`
	KeepDisk                *bool             `pulumi:"keepDisk,optional"`
	Labels                  map[string]string `pulumi:"labels,optional"`
	Location                *string           `pulumi:"location,optional"`
	Name                    *string           `pulumi:"name,optional"`
	PublicNets              []PublicNet       `pulumi:"publicNets,optional"`
	RebuildProtection       *bool             `pulumi:"rebuildProtection,optional"`
	ServerType              string            `pulumi:"serverType"`
	ShutdownBeforeDeletion  *bool             `pulumi:"shutdownBeforeDeletion,optional"`
	SSHKeys                 []string          `pulumi:"sshKeys,optional"`
	UserData                *string           `pulumi:"userData,optional"`
}

// Annotate sets the defaults that Check fills in, so that they stand in the state.
func (i *ServerInputs) Annotate(a infer.Annotator) {
	for _, field := range []**bool{
		&i.AllowDeprecatedImages, &i.Backups, &i.DeleteProtection, &i.IgnoreRemoteFirewallIds, &i.KeepDisk,
		&i.RebuildProtection, &i.ShutdownBeforeDeletion,
	} {
		a.SetDefault(field, false)
	}
}

// PublicNet says which public addresses a server has.
type PublicNet struct {
	IPv4        *int  `pulumi:"ipv4,optional"`
	IPv4Enabled *bool `pulumi:"ipv4Enabled,optional"`
	IPv6        *int  `pulumi:"ipv6,optional"`
	IPv6Enabled *bool `pulumi:"ipv6Enabled,optional"`
}

// Annotate sets the defaults that Check fills in.
func (p *PublicNet) Annotate(a infer.Annotator) {
	a.SetDefault(&p.IPv4Enabled, true)
	a.SetDefault(&p.IPv6Enabled, true)
}

// ServerState is the inputs and what the cloud decided.
type ServerState struct {
	ServerInputs
	BackupWindow    string `pulumi:"backupWindow"`
	IPv4Address     string `pulumi:"ipv4Address"`
	IPv6Address     string `pulumi:"ipv6Address"`
	IPv6Network     string `pulumi:"ipv6Network"`
	PrimaryDiskSize int    `pulumi:"primaryDiskSize"`
	Status          string `pulumi:"status"`
}

// WireDependencies keeps addresses known in the preview of an update. Only computedness: secretness goes by name.
func (*Server) WireDependencies(f infer.FieldSelector, inputs *ServerInputs, state *ServerState) {
	f.OutputField(&state.UserData).DependsOn(f.InputField(&inputs.UserData).Computed())
	f.OutputField(&state.PrimaryDiskSize).DependsOn(f.InputField(&inputs.ServerType).Computed())
}

// Check refuses what the cloud would, before anything is touched.
func (*Server) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[ServerInputs], error) {
	news, err := withName(req.OldInputs, req.NewInputs, req.Name)
	if err != nil {
		return infer.CheckResponse[ServerInputs]{}, err
	}
	inputs, failures, err := infer.DefaultCheck[ServerInputs](ctx, news)
	refuse := func(property, reason string) {
		failures = append(failures, provider.CheckFailure{Property: property, Reason: reason})
	}
	if inputs.Datacenter != nil {
		refuse("datacenter", "The datacenter attribute is marked for removal, you must use the location attribute instead")
	}
	if inputs.Image != nil && *inputs.Image == "" && !news.Get("image").IsComputed() {
		refuse("image", `"image" must have more than 0 characters. Have you set the name instead of an ID?`)
	}
	for _, net := range inputs.PublicNets {
		if net.IPv4 != nil || net.IPv6 != nil {
			refuse("publicNets", "Primary IPs are not in the lab's stand-in for this plugin")
		}
	}
	return infer.CheckResponse[ServerInputs]{Inputs: inputs, Failures: failures}, err
}

// Diff compares with the state, which has the hash of the user data; what the cloud decides when it is left out is
// compared only where the program sets it.
func (*Server) Diff(
	_ context.Context, req infer.DiffRequest[ServerInputs, ServerState],
) (provider.DiffResponse, error) {
	in, state, found := req.Inputs, req.State, diffs{}
	userData, hash := valueOr(in.UserData, ""), valueOr(state.UserData, "")
	found.replace("image", valueOr(in.Image, "") != valueOr(state.Image, ""))
	found.replace("location", in.Location != nil && *in.Location != valueOr(state.Location, ""))
	found.replace("sshKeys", fmt.Sprint(in.SSHKeys) != fmt.Sprint(state.SSHKeys))
	found.replace("userData", userData != hash && (userData == "" || sha1Of(userData) != hash))
	found.update("name", in.Name != nil && *in.Name != valueOr(state.Name, ""))
	found.update("serverType", in.ServerType != state.ServerType)
	found.update("labels", !sameLabels(in.Labels, state.Labels))
	found.update("firewallIds", in.FirewallIds != nil && !sameSet(in.FirewallIds, state.FirewallIds))
	found.update("publicNets", in.PublicNets != nil && !samePublicNets(in.PublicNets, state.PublicNets))
	for name, pair := range map[string][2]*bool{
		"allowDeprecatedImages":   {in.AllowDeprecatedImages, state.AllowDeprecatedImages},
		"backups":                 {in.Backups, state.Backups},
		"deleteProtection":        {in.DeleteProtection, state.DeleteProtection},
		"ignoreRemoteFirewallIds": {in.IgnoreRemoteFirewallIds, state.IgnoreRemoteFirewallIds},
		"keepDisk":                {in.KeepDisk, state.KeepDisk},
		"rebuildProtection":       {in.RebuildProtection, state.RebuildProtection},
		"shutdownBeforeDeletion":  {in.ShutdownBeforeDeletion, state.ShutdownBeforeDeletion},
	} {
		found.update(name, valueOr(pair[0], false) != valueOr(pair[1], false))
	}
	return found.response(in.Name), nil
}

func samePublicNets(a, b []PublicNet) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if valueOr(a[i].IPv4Enabled, true) != valueOr(b[i].IPv4Enabled, true) ||
			valueOr(a[i].IPv6Enabled, true) != valueOr(b[i].IPv6Enabled, true) {
			return false
		}
	}
	return true
}

// asked is the state as the program wants it, before the cloud is looked at.
func asked(inputs ServerInputs) ServerState {
	state := ServerState{ServerInputs: inputs}
	if inputs.UserData != nil {
		hash := sha1Of(*inputs.UserData)
		state.UserData = &hash
	}
	return state
}

// observe takes over what the cloud knows. User data and keys are not among it.
func (s *ServerState) observe(server *hcloud.Server) {
	s.Name = &server.Name
	s.ServerType = server.ServerType.Name
	s.Labels = server.Labels
	s.Location = &server.Location.Name
	s.Status = string(server.Status)
	s.BackupWindow = server.BackupWindow
	s.PrimaryDiskSize = server.PrimaryDiskSize
	backups := server.BackupWindow != ""
	s.Backups = &backups
	s.DeleteProtection, s.RebuildProtection = &server.Protection.Delete, &server.Protection.Rebuild
	s.Image = nil
	if server.Image != nil {
		image := server.Image.Name
		if image == "" {
			image = strconv.FormatInt(server.Image.ID, 10)
		}
		s.Image = &image
	}
	if !valueOr(s.IgnoreRemoteFirewallIds, false) {
		s.FirewallIds = []int{}
		for _, applied := range server.PublicNet.Firewalls {
			s.FirewallIds = append(s.FirewallIds, int(applied.Firewall.ID))
		}
	}
	s.IPv4Address, s.IPv6Address, s.IPv6Network = "", "", ""
	if !server.PublicNet.IPv4.IsUnspecified() {
		s.IPv4Address = server.PublicNet.IPv4.IP.String()
	}
	if !server.PublicNet.IPv6.IsUnspecified() {
		first := append([]byte{}, server.PublicNet.IPv6.IP...)
		first[len(first)-1]++
		s.IPv6Network = server.PublicNet.IPv6.Network.String()
		s.IPv6Address = fmt.Sprint(ip(first))
	}
}

// observedInputs are the inputs after a refresh (what the program sets, as the cloud has it) or after an import (all
// that can be read). Refreshed, a difference shows; imported, the program's own inputs are compared with these.
func observedInputs(olds ServerInputs, state ServerState, imported bool) ServerInputs {
	inputs := state.ServerInputs
	inputs.UserData, inputs.SSHKeys, inputs.PublicNets = olds.UserData, olds.SSHKeys, olds.PublicNets
	if imported {
		return inputs
	}
	if olds.Location == nil {
		inputs.Location = nil
	}
	if olds.FirewallIds == nil {
		inputs.FirewallIds = nil
	}
	if olds.Labels == nil && len(inputs.Labels) == 0 {
		inputs.Labels = nil
	}
	return inputs
}
