package cloud

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// OfferedImage is an image that Droplets can be made of.
type OfferedImage struct {
	Created       string   `pulumi:"created"`
	Description   string   `pulumi:"description"`
	Distribution  string   `pulumi:"distribution"`
	ErrorMessage  string   `pulumi:"errorMessage"`
	ID            int      `pulumi:"id_"`
	Image         string   `pulumi:"image"`
	MinDiskSize   int      `pulumi:"minDiskSize"`
	Name          string   `pulumi:"name"`
	Private       bool     `pulumi:"private"`
	Regions       []string `pulumi:"regions"`
	SizeGigabytes float64  `pulumi:"sizeGigabytes"`
	Slug          string   `pulumi:"slug"`
	Status        string   `pulumi:"status"`
	Tags          []string `pulumi:"tags"`
	Type          string   `pulumi:"type"`
}

func asImage(image godo.Image) OfferedImage {
	return OfferedImage{
		image.Created, image.Description, image.Distribution, image.ErrorMessage, image.ID, strconv.Itoa(image.ID), image.MinDiskSize,
		image.Name, !image.Public, image.Regions, image.SizeGigaBytes, image.Slug, image.Status, image.Tags, image.Type,
	}
}

// userImages is where an image is looked for by name unless the program says otherwise.
const userImages = "user"

// GetImage finds one image.
type GetImage struct{}

// GetImageArgs name it in one of three ways.
type GetImageArgs struct {
	ID     *int    `pulumi:"id_,optional"`
	Name   *string `pulumi:"name,optional"`
	Slug   *string `pulumi:"slug,optional"`
	Source *string `pulumi:"source,optional"`
}

// FoundImage is the answer.
type FoundImage struct {
	OfferedImage
	Source string `pulumi:"source"`
}

// Annotate gives the official token.
func (g *GetImage) Annotate(a infer.Annotator) { a.SetToken("index/getImage", "getImage") }

// Invoke asks the API.
func (*GetImage) Invoke(
	ctx context.Context, req infer.FunctionRequest[GetImageArgs],
) (infer.FunctionResponse[FoundImage], error) {
	args := req.Input
	image, err := findImage(api(ctx).Images, args)
	if err != nil {
		return infer.FunctionResponse[FoundImage]{}, err
	}
	return infer.FunctionResponse[FoundImage]{Output: FoundImage{asImage(*image), valueOr(args.Source, userImages)}}, nil
}

func findImage(images godo.ImagesService, args GetImageArgs) (*godo.Image, error) {
	switch {
	case args.ID != nil:
		image, answer, err := images.GetByID(context.Background(), *args.ID)
		if isGone(answer) {
			return nil, fmt.Errorf("image ID %d not found: %w", *args.ID, err)
		}
		return image, err
	case args.Slug != nil:
		image, answer, err := images.GetBySlug(context.Background(), *args.Slug)
		if isGone(answer) {
			return nil, fmt.Errorf("image not found: %w", err)
		}
		return image, err
	case args.Name != nil:
		return imageNamed(images, *args.Name, strings.ToLower(valueOr(args.Source, userImages)))
	}
	return nil, errors.New("one of `id,name,slug` must be specified")
}

func imageNamed(images godo.ImagesService, name, source string) (*godo.Image, error) {
	list, ok := map[string]func(context.Context, *godo.ListOptions) ([]godo.Image, *godo.Response, error){
		"all": images.List, "distributions": images.ListDistribution,
		"applications": images.ListApplication, userImages: images.ListUser,
	}[source]
	if !ok {
		return nil, fmt.Errorf("expected source to be one of [all applications distributions user], got %s", source)
	}
	all, err := everything(list)
	if err != nil {
		return nil, failed("Error retrieving images", err)
	}
	found := []godo.Image{}
	for _, image := range all {
		if image.Name == name {
			found = append(found, image)
		}
	}
	return only(found, "image", "name", name)
}

// only is the one that was found.
func only[T any](found []T, what, by, value string) (*T, error) {
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no %s found with %s %s", what, by, value)
	case 1:
		return &found[0], nil
	}
	return nil, fmt.Errorf("too many %ss found with %s %s (found %d, expected 1)", what, by, value, len(found))
}

// GetImages lists the images.
type GetImages struct{}

// Images is the answer.
type Images struct {
	Sifting
	ID     string         `pulumi:"id_"`
	Images []OfferedImage `pulumi:"images"`
}

// Annotate gives the official token.
func (g *GetImages) Annotate(a infer.Annotator) { a.SetToken("index/getImages", "getImages") }

// Invoke asks the API.
func (*GetImages) Invoke(
	ctx context.Context, req infer.FunctionRequest[Sifting],
) (infer.FunctionResponse[Images], error) {
	answer := Images{Sifting: req.Input, ID: listID()}
	told, err := everything(api(ctx).Images.List)
	if err != nil {
		return infer.FunctionResponse[Images]{}, failed("Error retrieving images", err)
	}
	images := make([]OfferedImage, len(told))
	for i, image := range told {
		images[i] = asImage(image)
	}
	answer.Images, err = sift(images, req.Input)
	return infer.FunctionResponse[Images]{Output: answer}, err
}
