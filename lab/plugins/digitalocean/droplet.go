package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"

	"pillar-host/lab/plugins/shared"
)

const (
	pollInterval  = 100 * time.Millisecond
	createTimeout = time.Minute
	deleteTimeout = 2 * time.Second
)

type Droplet struct {
	shared.Resource[DropletInputs, DropletState, *DropletState]
}

func (*Droplet) Annotate(a infer.Annotator) { a.SetToken("index/droplet", "Droplet") }

// DropletInputs contains the inputs that a program sets.
type DropletInputs struct {
	Backups  *bool    `pulumi:"backups,optional"`
	Policy   *Policy  `pulumi:"backupPolicy,optional"`
	Image    string   `pulumi:"image" provider:"replaceOnChanges"`
	Name     string   `pulumi:"name"`
	Region   *string  `pulumi:"region,optional" provider:"replaceOnChanges"`
	Size     string   `pulumi:"size"`
	SSHKeys  []string `pulumi:"sshKeys,optional" provider:"replaceOnChanges"`
	Tags     []string `pulumi:"tags,optional"`
	UserData *string  `pulumi:"userData,optional" provider:"replaceOnChanges"`
}

// Policy says when the cloud makes its backups.
type Policy struct {
	Plan    string `pulumi:"plan"`
	Weekday string `pulumi:"weekday"`
	Hour    int    `pulumi:"hour"`
}

// Annotate sets the default value that Check adds.
func (d *DropletInputs) Annotate(a infer.Annotator) { a.SetDefault(&d.Backups, false) }

// DropletState contains the inputs and the values that the cloud reports.
type DropletState struct {
	DropletInputs
	IPv4Address string `pulumi:"ipv4Address"`
	Status      string `pulumi:"status"`

	isLocked bool
}

func (d *DropletState) Inputs() *DropletInputs { return &d.DropletInputs }

// Create orders a Droplet and waits until it is active and has its address.
func (d *DropletState) Create(ctx context.Context) (string, error) {
	order := &godo.DropletCreateRequest{
		Name:     d.Name,
		Region:   shared.Or(d.Region, ""),
		Size:     d.Size,
		Image:    godo.DropletCreateImage{Slug: d.Image},
		Tags:     d.Tags,
		UserData: shared.Or(d.UserData, ""),
		Backups:  shared.Or(d.Backups, false),
	}
	if d.Policy != nil {
		order.BackupPolicy = &godo.DropletBackupPolicyRequest{
			Plan:    d.Policy.Plan,
			Weekday: d.Policy.Weekday,
			Hour:    &d.Policy.Hour,
		}
	}
	for _, id := range d.SSHKeys {
		order.SSHKeys = append(order.SSHKeys, godo.DropletCreateSSHKey{ID: number(id)})
	}
	made, _, err := api(ctx).Droplets.Create(ctx, order)
	if err != nil {
		return "", fmt.Errorf("Error creating droplet: %w", err)
	}
	// The Droplet exists from here on. A later error must not drop it from the state.
	id := strconv.Itoa(made.ID)
	isReady := func(isThere bool) bool { return isThere && d.Status == "active" && d.IPv4Address != "" }
	if err := d.waitUntil(ctx, id, createTimeout, isReady); err != nil {
		return id, fmt.Errorf("Error waiting for droplet (%s) to become ready: %w", id, err)
	}
	return id, nil
}

// waitUntil reads the Droplet until the condition holds, within the program's timeout if it sets one.
func (d *DropletState) waitUntil(ctx context.Context, id string, own time.Duration, isSo func(isThere bool) bool) error {
	if _, isGiven := ctx.Deadline(); !isGiven {
		limited, cancel := context.WithTimeout(ctx, own)
		defer cancel()
		ctx = limited
	}
	for {
		found, err := d.Read(context.WithoutCancel(ctx), id)
		if err != nil || isSo(found) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval):
		}
	}
}

// Read leaves ssh keys and user data alone, which the API does not return. It reads the image only in an import,
// because a slug moves on to newer images.
func (d *DropletState) Read(ctx context.Context, id string) (bool, error) {
	found, answer, err := api(ctx).Droplets.Get(ctx, number(id))
	if err != nil {
		return false, unlessGone(answer, err)
	}
	if d.Image == "" && found.Image != nil {
		d.Image = found.Image.Slug
	}
	d.Name, d.Size, d.Region, d.Tags = found.Name, found.SizeSlug, &found.Region.Slug, found.Tags
	d.Status, d.Backups = found.Status, godo.PtrTo(slices.Contains(found.Features, "backups"))
	d.IPv4Address, _ = found.PublicIPv4()
	d.isLocked = found.Locked
	return true, nil
}

// Update completes a Droplet that was not ready in time.
func (d *DropletState) Update(ctx context.Context, id string, old DropletState) error {
	isOther := shared.Or(d.Backups, false) != shared.Or(old.Backups, false)
	if isOther || d.Size != old.Size || d.Name != old.Name || !slices.Equal(d.Tags, old.Tags) {
		return shared.ErrNotHere
	}
	_, err := d.Read(ctx, id)
	return err
}

// Delete waits until the Droplet is unlocked, deletes it, and waits until it is gone.
func (d *DropletState) Delete(ctx context.Context, id string) error {
	isFree := func(isThere bool) bool { return !isThere || !d.isLocked }
	if err := d.waitUntil(ctx, id, deleteTimeout, isFree); err != nil {
		return fmt.Errorf("Error waiting for droplet to be unlocked for destroy (%s): %w", id, err)
	}
	answer, err := api(ctx).Droplets.Delete(ctx, number(id))
	if err != nil {
		return unlessGone(answer, err)
	}
	return d.waitUntil(ctx, id, createTimeout, func(isThere bool) bool { return !isThere })
}
