package cloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// Image is what a server starts from.
type Image struct {
	Architecture string            `json:"architecture"`
	Created      string            `json:"created"`
	Deprecated   string            `json:"deprecated"`
	Description  string            `json:"description"`
	ID           int               `json:"id"`
	Labels       map[string]string `json:"labels"`
	Name         string            `json:"name"`
	OSFlavor     string            `json:"osFlavor"`
	OSVersion    string            `json:"osVersion"`
	RapidDeploy  bool              `json:"rapidDeploy"`
	Type         string            `json:"type"`
}

func imageOf(image *hcloud.Image) Image {
	made := Image{
		Architecture: string(image.Architecture), Created: image.Created.Format(time.RFC3339),
		Description: image.Description, ID: int(image.ID), Labels: image.Labels, Name: image.Name,
		OSFlavor: image.OSFlavor, OSVersion: image.OSVersion, RapidDeploy: image.RapidDeploy, Type: string(image.Type),
	}
	if image.IsDeprecated() {
		made.Deprecated = image.Deprecated.Format(time.RFC3339)
	}
	return made
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

// ImageQuery is how an image is asked for.
type ImageQuery struct {
	ID                *int     `json:"id,omitempty"`
	IncludeDeprecated *bool    `json:"includeDeprecated,omitempty"`
	MostRecent        *bool    `json:"mostRecent,omitempty"`
	Name              *string  `json:"name,omitempty"`
	WithArchitecture  *string  `json:"withArchitecture,omitempty"`
	WithSelector      *string  `json:"withSelector,omitempty"`
	WithStatuses      []string `json:"withStatuses,omitempty"`
}

// An architecture that is not given is x86.
func getImage(ctx context.Context, client *hcloud.Client, in ImageQuery) (Image, error) {
	options := imageOptions(in.IncludeDeprecated, in.WithSelector, in.WithStatuses)
	options.Architecture = []hcloud.Architecture{hcloud.Architecture(valueOr(in.WithArchitecture, "x86"))}
	var image *hcloud.Image
	var err error
	switch {
	case in.ID != nil:
		image, err = findImage(ctx, client, strconv.Itoa(*in.ID), options)
	case in.Name != nil:
		image, err = findImage(ctx, client, *in.Name, options)
	case in.WithSelector != nil:
		image, err = selected(ctx, client, options, valueOr(in.MostRecent, false))
	default:
		err = errors.New("please specify an id, a name or a selector to lookup the image")
	}
	if err == nil && image == nil {
		err = fmt.Errorf("no image found matching %s", valueOr(in.Name, valueOr(in.WithSelector, "the id")))
	}
	if err != nil {
		return Image{}, err
	}
	return imageOf(image), nil
}

func selected(
	ctx context.Context, client *hcloud.Client, options hcloud.ImageListOpts, mostRecent bool,
) (*hcloud.Image, error) {
	images, err := client.Image.AllWithOpts(ctx, options)
	if err != nil || len(images) == 0 {
		return nil, err
	}
	if len(images) > 1 && !mostRecent {
		return nil, fmt.Errorf("more than one image found for selector %q", options.LabelSelector)
	}
	return slices.MaxFunc(images, func(a, b *hcloud.Image) int { return a.Created.Compare(b.Created) }), nil
}

func imageOptions(deprecated *bool, selector *string, statuses []string) hcloud.ImageListOpts {
	options := hcloud.ImageListOpts{IncludeDeprecated: valueOr(deprecated, false)}
	options.LabelSelector = valueOr(selector, "")
	for _, status := range statuses {
		options.Status = append(options.Status, hcloud.ImageStatus(status))
	}
	return options
}

// ImagesQuery is how images are asked for.
type ImagesQuery struct {
	IncludeDeprecated *bool    `json:"includeDeprecated,omitempty"`
	MostRecent        *bool    `json:"mostRecent,omitempty"`
	WithArchitectures []string `json:"withArchitectures,omitempty"`
	WithSelector      *string  `json:"withSelector,omitempty"`
	WithStatuses      []string `json:"withStatuses,omitempty"`
}

// Images is the answer of getImages.
type Images struct {
	ID     string  `json:"id"`
	Images []Image `json:"images"`
}

func getImages(ctx context.Context, client *hcloud.Client, in ImagesQuery) (Images, error) {
	options := imageOptions(in.IncludeDeprecated, in.WithSelector, in.WithStatuses)
	for _, architecture := range in.WithArchitectures {
		options.Architecture = append(options.Architecture, hcloud.Architecture(architecture))
	}
	found, err := client.Image.AllWithOpts(ctx, options)
	if err != nil {
		return Images{}, err
	}
	if valueOr(in.MostRecent, false) {
		slices.SortFunc(found, func(a, b *hcloud.Image) int { return b.Created.Compare(a.Created) })
	}
	images := Images{Images: []Image{}}
	ids := ""
	for _, image := range found {
		images.Images = append(images.Images, imageOf(image))
		ids += fmt.Sprint(image.ID, "-")
	}
	images.ID = sha1Of(ids)
	return images, nil
}
