package cloud

import (
	"context"
	"errors"
	"slices"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// FoundDroplet is a Droplet as a look-up tells it.
type FoundDroplet struct {
	Backups            bool     `pulumi:"backups"`
	CreatedAt          string   `pulumi:"createdAt"`
	Disk               int      `pulumi:"disk"`
	GPUPartitionMode   string   `pulumi:"gpuPartitionMode"`
	ID                 int      `pulumi:"id_"`
	Image              string   `pulumi:"image"`
	IPv4Address        string   `pulumi:"ipv4Address"`
	IPv4AddressPrivate string   `pulumi:"ipv4AddressPrivate"`
	IPv6               bool     `pulumi:"ipv6"`
	IPv6Address        string   `pulumi:"ipv6Address"`
	IPv6AddressPrivate string   `pulumi:"ipv6AddressPrivate"`
	Locked             bool     `pulumi:"locked"`
	Memory             int      `pulumi:"memory"`
	Monitoring         bool     `pulumi:"monitoring"`
	Name               string   `pulumi:"name"`
	PriceHourly        float64  `pulumi:"priceHourly"`
	PriceMonthly       float64  `pulumi:"priceMonthly"`
	PrivateNetworking  bool     `pulumi:"privateNetworking"`
	Region             string   `pulumi:"region"`
	Size               string   `pulumi:"size"`
	Status             string   `pulumi:"status"`
	Tags               []string `pulumi:"tags"`
	URN                string   `pulumi:"urn_"`
	Vcpus              int      `pulumi:"vcpus"`
	VolumeIDs          []string `pulumi:"volumeIds"`
	VPCUUID            string   `pulumi:"vpcUuid"`
}

func asDroplet(droplet godo.Droplet) FoundDroplet {
	state := DropletState{}
	state.read(&droplet)
	return FoundDroplet{
		Backups: *state.Backups, CreatedAt: state.CreatedAt, Disk: state.Disk,
		GPUPartitionMode: droplet.GPUPartitionMode, ID: droplet.ID, Image: imageOf(&droplet),
		IPv4Address: state.IPv4Address, IPv4AddressPrivate: state.IPv4AddressPrivate,
		IPv6: *state.IPv6, IPv6Address: *state.IPv6Address, IPv6AddressPrivate: addressV6(&droplet, "private"),
		Locked: state.Locked, Memory: state.Memory, Monitoring: *state.Monitoring, Name: droplet.Name,
		PriceHourly: state.PriceHourly, PriceMonthly: state.PriceMonthly,
		PrivateNetworking: *state.PrivateNetworking, Region: valueOr(state.Region, ""), Size: state.Size,
		Status: state.Status, Tags: state.Tags, URN: state.DropletURN, Vcpus: state.Vcpus,
		VolumeIDs: state.VolumeIDs, VPCUUID: droplet.VPCUUID,
	}
}

// GetDroplet finds one Droplet.
type GetDroplet struct{}

// GetDropletArgs name it in one of three ways.
type GetDropletArgs struct {
	GPU  *bool   `pulumi:"gpu,optional"`
	ID   *int    `pulumi:"id_,optional"`
	Name *string `pulumi:"name,optional"`
	Tag  *string `pulumi:"tag,optional"`
}

// GetDropletResult is the answer.
type GetDropletResult struct {
	FoundDroplet
	GPU *bool   `pulumi:"gpu,optional"`
	Tag *string `pulumi:"tag,optional"`
}

// Annotate gives the official token.
func (g *GetDroplet) Annotate(a infer.Annotator) { a.SetToken("index/getDroplet", "getDroplet") }

// Invoke asks the API.
func (*GetDroplet) Invoke(
	ctx context.Context, req infer.FunctionRequest[GetDropletArgs],
) (infer.FunctionResponse[GetDropletResult], error) {
	args := req.Input
	droplet, err := findDroplet(api(ctx).Droplets, args)
	if err != nil {
		return infer.FunctionResponse[GetDropletResult]{}, err
	}
	answer := GetDropletResult{asDroplet(*droplet), args.GPU, args.Tag}
	return infer.FunctionResponse[GetDropletResult]{Output: answer}, nil
}

func findDroplet(droplets godo.DropletsService, args GetDropletArgs) (*godo.Droplet, error) {
	if args.ID != nil {
		droplet, _, err := droplets.Get(context.Background(), *args.ID)
		return droplet, err
	}
	if args.Name == nil && args.Tag == nil {
		return nil, errors.New("one of `id,name,tag` must be specified")
	}
	all, err := everything(droplets.List)
	if err != nil {
		return nil, failed("Error retrieving droplets", err)
	}
	found := slices.DeleteFunc(all, func(droplet godo.Droplet) bool {
		if args.Tag != nil {
			return !slices.Contains(droplet.Tags, *args.Tag)
		}
		return droplet.Name != *args.Name
	})
	if args.Tag != nil {
		return only(found, "droplet", "tag", *args.Tag)
	}
	return only(found, "droplet", "name", *args.Name)
}

// GetDroplets lists the Droplets.
type GetDroplets struct{}

// GetDropletsArgs are filters and sorts.
type GetDropletsArgs struct {
	Sifting
	GPUs *bool `pulumi:"gpus,optional"`
}

// GetDropletsResult is the answer.
type GetDropletsResult struct {
	GetDropletsArgs
	Droplets []FoundDroplet `pulumi:"droplets"`
	ID       string         `pulumi:"id_"`
}

// Annotate gives the official token.
func (g *GetDroplets) Annotate(a infer.Annotator) { a.SetToken("index/getDroplets", "getDroplets") }

// Invoke asks the API.
func (*GetDroplets) Invoke(
	ctx context.Context, req infer.FunctionRequest[GetDropletsArgs],
) (infer.FunctionResponse[GetDropletsResult], error) {
	answer := GetDropletsResult{GetDropletsArgs: req.Input, ID: listID()}
	list := api(ctx).Droplets.List
	if valueOr(req.Input.GPUs, false) {
		list = api(ctx).Droplets.ListWithGPUs
	}
	told, err := everything(list)
	if err != nil {
		return infer.FunctionResponse[GetDropletsResult]{}, failed("Error retrieving droplets", err)
	}
	droplets := make([]FoundDroplet, len(told))
	for i, droplet := range told {
		droplets[i] = asDroplet(droplet)
	}
	answer.Droplets, err = sift(droplets, req.Input.Sifting)
	return infer.FunctionResponse[GetDropletsResult]{Output: answer}, err
}

// GetSSHKeys lists the account's ssh keys.
type GetSSHKeys struct{}

// FoundKey is one of them.
type FoundKey struct {
	Fingerprint string `pulumi:"fingerprint"`
	ID          int    `pulumi:"id_"`
	Name        string `pulumi:"name"`
	PublicKey   string `pulumi:"publicKey"`
}

// GetSSHKeysResult is the answer.
type GetSSHKeysResult struct {
	Sifting
	ID      string     `pulumi:"id_"`
	SSHKeys []FoundKey `pulumi:"sshKeys"`
}

// Annotate gives the official token.
func (g *GetSSHKeys) Annotate(a infer.Annotator) { a.SetToken("index/getSshKeys", "getSshKeys") }

// Invoke asks the API.
func (*GetSSHKeys) Invoke(
	ctx context.Context, req infer.FunctionRequest[Sifting],
) (infer.FunctionResponse[GetSSHKeysResult], error) {
	answer := GetSSHKeysResult{Sifting: req.Input, ID: listID()}
	told, err := everything(api(ctx).Keys.List)
	if err != nil {
		return infer.FunctionResponse[GetSSHKeysResult]{}, failed("Error retrieving ssh keys", err)
	}
	keys := make([]FoundKey, len(told))
	for i, key := range told {
		keys[i] = FoundKey{key.Fingerprint, key.ID, key.Name, key.PublicKey}
	}
	answer.SSHKeys, err = sift(keys, req.Input)
	return infer.FunctionResponse[GetSSHKeysResult]{Output: answer}, err
}
