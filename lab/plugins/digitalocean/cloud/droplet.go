package cloud

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"pillar-host/lab/plugins/shared"
)

const (
	dropletTimeout       = time.Hour
	dropletDeleteTimeout = time.Minute
)

type Droplet struct {
	shared.Resource[DropletArgs, DropletState, droplet]
}

// BackupPolicy is the schedule of a Droplet's backups.
type BackupPolicy struct {
	Hour    *int    `pulumi:"hour,optional"`
	Plan    *string `pulumi:"plan,optional"`
	Weekday *string `pulumi:"weekday,optional"`
}

func (p *BackupPolicy) differs(old *BackupPolicy) bool {
	if p == nil || old == nil {
		return p != old
	}
	return shared.Differ(old.Hour, p.Hour) || shared.Differ(old.Plan, p.Plan) || shared.Differ(old.Weekday, p.Weekday)
}

func (p *BackupPolicy) request() *godo.DropletBackupPolicyRequest {
	if p == nil {
		return nil
	}
	hour := shared.Or(p.Hour, 0)
	return &godo.DropletBackupPolicyRequest{
		Plan: shared.Or(p.Plan, ""), Weekday: shared.Or(p.Weekday, ""), Hour: &hour,
	}
}

// DropletArgs contains the inputs that a program sets.
type DropletArgs struct {
	BackupPolicy *BackupPolicy `pulumi:"backupPolicy,optional"`
	Backups      *bool         `pulumi:"backups,optional"`
	Image        string        `pulumi:"image"`
	Name         *string       `pulumi:"name,optional"`
	Region       *string       `pulumi:"region,optional"`
	Size         string        `pulumi:"size"`
	SSHKeys      []string      `pulumi:"sshKeys,optional"`
	Tags         []string      `pulumi:"tags,optional"`
	UserData     *string       `pulumi:"userData,optional"`
}

// Annotate sets the default value that Check adds.
func (d *DropletArgs) Annotate(a infer.Annotator) { a.SetDefault(&d.Backups, false) }

// DropletState contains the inputs and the values that the cloud reports.
type DropletState struct {
	DropletArgs
	IPv4Address string `pulumi:"ipv4Address"`
	Locked      bool   `pulumi:"locked"`
	Status      string `pulumi:"status"`
}

type droplet struct{}

func (droplet) Token() (tokens.ModuleName, tokens.TypeName) { return "index/droplet", "Droplet" }

func (droplet) Plan(in DropletArgs, old DropletState) DropletState {
	state := DropletState{in, old.IPv4Address, old.Locked, old.Status}
	state.UserData = hashed(in.UserData)
	return state
}

// hashed returns the SHA-1 that the state contains in place of the user data.
func hashed(userData *string) *string {
	if userData == nil {
		return nil
	}
	sum := sha1.Sum([]byte(*userData))
	text := hex.EncodeToString(sum[:])
	return &text
}

// Diff decides what changes in place and what needs a replacement.
func (droplet) Diff(d *shared.Diff, in DropletArgs, state DropletState) {
	d.Replace("image", state.Image != in.Image)
	d.Replace("region", in.Region != nil && !strings.EqualFold(shared.Or(state.Region, ""), *in.Region))
	d.Replace("sshKeys", !shared.SameSet(state.SSHKeys, in.SSHKeys))
	// The framework passes the state's hash as the input if ignoreChanges is set.
	d.Replace("userData", shared.Differ(state.UserData, in.UserData) && shared.Differ(state.UserData, hashed(in.UserData)))
	d.Update("size", !strings.EqualFold(state.Size, in.Size))
	d.Update("backups", shared.Differ(state.Backups, in.Backups))
	d.Update("backupPolicy", in.BackupPolicy.differs(state.BackupPolicy))
	d.Update("tags", !shared.SameSet(lower(state.Tags), lower(in.Tags)))
	d.Name(state.Name, in.Name)
}

// Create orders a Droplet and waits until it is active and has its address.
func (droplet) Create(ctx context.Context, in DropletArgs, state *DropletState) (string, error) {
	order, err := in.order()
	if err != nil {
		return "", err
	}
	made, _, err := api(ctx).Droplets.Create(context.Background(), order)
	if err != nil {
		return "", failed("Error creating droplet", err)
	}
	id := strconv.Itoa(made.ID)
	state.observe(made)
	// The Droplet exists from here on. A later error must not drop it from the state.
	if err = state.waitFor(ctx, made.ID, "status", []string{"new"}, "active", dropletTimeout); err != nil {
		err = fmt.Errorf("Error waiting for droplet (%s) to become ready: %w", id, err)
	}
	return id, err
}

var errPolicyWithoutBackups = errors.New("backup_policy can only be set when backups are enabled")

func (d *DropletArgs) order() (*godo.DropletCreateRequest, error) {
	if d.BackupPolicy != nil && !shared.Or(d.Backups, false) {
		return nil, errPolicyWithoutBackups
	}
	order := &godo.DropletCreateRequest{
		Name:         shared.Or(d.Name, ""),
		Region:       strings.ToLower(shared.Or(d.Region, "")),
		Size:         strings.ToLower(d.Size),
		Image:        godo.DropletCreateImage{Slug: d.Image},
		Tags:         d.Tags,
		Backups:      shared.Or(d.Backups, false),
		BackupPolicy: d.BackupPolicy.request(),
		UserData:     shared.Or(d.UserData, ""),
	}
	for _, key := range d.SSHKeys {
		id, err := strconv.Atoi(key)
		if err != nil {
			return nil, failed("invalid SSH key id", err)
		}
		order.SSHKeys = append(order.SSHKeys, godo.DropletCreateSSHKey{ID: id})
	}
	return order, nil
}

// observe copies the API's values into the state. It leaves out the image, because a slug moves on to newer images. The
// API does not return ssh keys and user data.
func (s *DropletState) observe(found *godo.Droplet) {
	s.Name, s.Status, s.Locked, s.Tags = &found.Name, found.Status, found.Locked, found.Tags
	if found.Region != nil {
		s.Region = &found.Region.Slug
	}
	if found.Size != nil {
		s.Size = found.Size.Slug
	}
	backups := slices.Contains(found.Features, "backups")
	s.Backups = &backups
	s.IPv4Address = ""
	if address, err := found.PublicIPv4(); err == nil {
		s.IPv4Address = address
	}
}

func (droplet) Read(ctx context.Context, id string, state *DropletState) (bool, error) {
	number, err := strconv.Atoi(id)
	if err != nil {
		return false, failed("invalid droplet id", err)
	}
	found, answer, err := api(ctx).Droplets.Get(context.Background(), number)
	if err != nil {
		return false, unlessGone(answer, "Error retrieving droplet", err)
	}
	if isImport := state.Status == ""; isImport && found.Image != nil {
		state.Image = found.Image.Slug
	}
	state.observe(found)
	return true, nil
}

func (droplet) ReadInputs(in DropletArgs, state DropletState, imported bool) DropletArgs {
	if imported {
		return state.DropletArgs
	}
	return in
}

// Update changes the backups and waits until the change is complete.
func (droplet) Update(ctx context.Context, id string, in DropletArgs, old DropletState, state *DropletState) error {
	number, err := strconv.Atoi(id)
	if err != nil {
		return failed("invalid droplet id", err)
	}
	if !strings.EqualFold(old.Size, in.Size) || shared.Differ(old.Name, in.Name) ||
		!shared.SameSet(lower(old.Tags), lower(in.Tags)) {
		return errors.New("a changed size, name or tag is not in the lab's stand-in for this plugin")
	}
	err = changeBackups(ctx, number, in, old)
	if _, readErr := (droplet{}).Read(ctx, id, state); readErr != nil {
		return readErr
	}
	if err != nil {
		// Earlier changes stay in the state.
		return infer.ResourceInitFailedError{Reasons: []string{err.Error()}}
	}
	return nil
}

func changeBackups(ctx context.Context, id int, in DropletArgs, old DropletState) error {
	wanted, policy, actions := shared.Or(in.Backups, false), in.BackupPolicy, api(ctx).DropletActions
	if policy != nil && !wanted {
		return errPolicyWithoutBackups
	}
	switched := shared.Differ(in.Backups, old.Backups)
	var action *godo.Action
	var err error
	switch {
	case switched && wanted && policy != nil:
		action, _, err = actions.EnableBackupsWithPolicy(context.Background(), id, policy.request())
	case switched && wanted:
		action, _, err = actions.EnableBackups(context.Background(), id)
	case switched:
		action, _, err = actions.DisableBackups(context.Background(), id)
	case policy != nil && policy.differs(old.BackupPolicy):
		action, _, err = actions.ChangeBackupPolicy(context.Background(), id, policy.request())
	default:
		return nil
	}
	if err == nil {
		err = waitForAction(ctx, id, action.ID)
	}
	return failed(fmt.Sprintf("Error changing backups on droplet (%d)", id), err)
}

// Delete waits until the Droplet is unlocked, deletes it, and waits until it is gone.
func (droplet) Delete(ctx context.Context, id string, state DropletState) error {
	number, err := strconv.Atoi(id)
	if err != nil {
		return failed("invalid droplet id", err)
	}
	err = state.waitFor(ctx, number, "locked", []string{"true"}, "false", dropletDeleteTimeout)
	if err != nil {
		return failed(fmt.Sprintf("Error waiting for droplet to be unlocked for destroy (%d)", number), err)
	}
	answer, err := api(ctx).Droplets.Delete(context.Background(), number)
	if err != nil && isGone(answer) {
		return nil
	}
	err = state.waitFor(ctx, number, "status", []string{"active", "off"}, "archive", dropletDeleteTimeout)
	if err != nil && strings.Contains(err.Error(), strconv.Itoa(http.StatusNotFound)) {
		return nil
	}
	return failed("Error deleting droplet", err)
}

// waitFor waits until an attribute of the Droplet has the target value. It copies every answer into the state. A locked
// Droplet counts as having no value.
func (s *DropletState) waitFor(
	ctx context.Context, id int, attribute string, pending []string, target string, most time.Duration,
) error {
	look := func() (string, error) {
		found, answer, err := api(ctx).Droplets.Get(context.Background(), id)
		if isGone(answer) && target == "active" {
			// The API may not show a new Droplet yet.
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("Error retrieving droplet: %w", err)
		}
		s.observe(found)
		if found.Locked || (target == "active" && found.Status == target && s.IPv4Address == "") {
			return "", nil
		}
		if attribute == "locked" {
			return strconv.FormatBool(found.Locked), nil
		}
		return found.Status, nil
	}
	return wait{pending, target, timeout(ctx, most), look}.run(ctx)
}
