package cloud

import (
	"context"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// GetAccount tells of the account that the token belongs to: the cheapest way to try the token.
type GetAccount struct{}

// NoArgs is what a function takes that is asked for nothing.
type NoArgs struct{}

// Account is the answer.
type Account struct {
	DropletLimit    int    `pulumi:"dropletLimit"`
	Email           string `pulumi:"email"`
	EmailVerified   bool   `pulumi:"emailVerified"`
	FloatingIPLimit int    `pulumi:"floatingIpLimit"`
	ID              string `pulumi:"id_"`
	Status          string `pulumi:"status"`
	StatusMessage   string `pulumi:"statusMessage"`
	UUID            string `pulumi:"uuid"`
}

// Annotate gives the official token.
func (g *GetAccount) Annotate(a infer.Annotator) { a.SetToken("index/getAccount", "getAccount") }

// Invoke asks the API.
func (*GetAccount) Invoke(
	ctx context.Context, _ infer.FunctionRequest[NoArgs],
) (infer.FunctionResponse[Account], error) {
	account, _, err := api(ctx).Account.Get(context.Background())
	if err != nil {
		return infer.FunctionResponse[Account]{}, failed("Error retrieving account", err)
	}
	return infer.FunctionResponse[Account]{Output: Account{
		DropletLimit: account.DropletLimit, Email: account.Email, EmailVerified: account.EmailVerified,
		FloatingIPLimit: account.FloatingIPLimit, ID: account.UUID, Status: account.Status,
		StatusMessage: account.StatusMessage, UUID: account.UUID,
	}}, nil
}

// GetRegions lists the regions.
type GetRegions struct{}

// Region is one of them.
type Region struct {
	Available bool     `pulumi:"available"`
	Features  []string `pulumi:"features"`
	Name      string   `pulumi:"name"`
	Sizes     []string `pulumi:"sizes"`
	Slug      string   `pulumi:"slug"`
}

// Regions is the answer.
type Regions struct {
	Sifting
	ID      string   `pulumi:"id_"`
	Regions []Region `pulumi:"regions"`
}

// Annotate gives the official token.
func (g *GetRegions) Annotate(a infer.Annotator) { a.SetToken("index/getRegions", "getRegions") }

// Invoke asks the API.
func (*GetRegions) Invoke(
	ctx context.Context, req infer.FunctionRequest[Sifting],
) (infer.FunctionResponse[Regions], error) {
	answer := Regions{Sifting: req.Input, ID: listID()}
	told, err := everything(api(ctx).Regions.List)
	if err != nil {
		return infer.FunctionResponse[Regions]{}, failed("Error retrieving regions", err)
	}
	regions := make([]Region, len(told))
	for i, region := range told {
		regions[i] = Region{region.Available, region.Features, region.Name, region.Sizes, region.Slug}
	}
	answer.Regions, err = sift(regions, req.Input)
	return infer.FunctionResponse[Regions]{Output: answer}, err
}

// GetSizes lists the plans, with prices.
type GetSizes struct{}

// Size is one of them.
type Size struct {
	Available    bool      `pulumi:"available"`
	Disk         int       `pulumi:"disk"`
	GPUInfos     []GPUInfo `pulumi:"gpuInfos"`
	Memory       int       `pulumi:"memory"`
	PriceHourly  float64   `pulumi:"priceHourly"`
	PriceMonthly float64   `pulumi:"priceMonthly"`
	Regions      []string  `pulumi:"regions"`
	Slug         string    `pulumi:"slug"`
	Transfer     float64   `pulumi:"transfer"`
	Vcpus        int       `pulumi:"vcpus"`
}

// GPUInfo is what a plan with a graphics card has more.
type GPUInfo struct {
	Count                   int      `pulumi:"count"`
	Model                   string   `pulumi:"model"`
	SupportedPartitionModes []string `pulumi:"supportedPartitionModes"`
	VRAMs                   []VRAM   `pulumi:"vrams"`
}

// VRAM is its memory.
type VRAM struct {
	Amount int    `pulumi:"amount"`
	Unit   string `pulumi:"unit"`
}

// Sizes is the answer.
type Sizes struct {
	Sifting
	ID    string `pulumi:"id_"`
	Sizes []Size `pulumi:"sizes"`
}

// Annotate gives the official token.
func (g *GetSizes) Annotate(a infer.Annotator) { a.SetToken("index/getSizes", "getSizes") }

// Invoke asks the API.
func (*GetSizes) Invoke(
	ctx context.Context, req infer.FunctionRequest[Sifting],
) (infer.FunctionResponse[Sizes], error) {
	answer := Sizes{Sifting: req.Input, ID: listID()}
	told, err := everything(api(ctx).Sizes.List)
	if err != nil {
		return infer.FunctionResponse[Sizes]{}, failed("Error retrieving sizes", err)
	}
	sizes := make([]Size, len(told))
	for i, size := range told {
		sizes[i] = Size{
			size.Available, size.Disk, gpus(size.GPUInfo), size.Memory, size.PriceHourly, size.PriceMonthly,
			size.Regions, size.Slug, size.Transfer, size.Vcpus,
		}
	}
	answer.Sizes, err = sift(sizes, req.Input)
	return infer.FunctionResponse[Sizes]{Output: answer}, err
}

func gpus(info *godo.GPUInfo) []GPUInfo {
	if info == nil {
		return []GPUInfo{}
	}
	vrams := []VRAM{}
	if info.VRAM != nil {
		vrams = append(vrams, VRAM(*info.VRAM))
	}
	return []GPUInfo{{info.Count, info.Model, info.SupportedPartitionModes, vrams}}
}
