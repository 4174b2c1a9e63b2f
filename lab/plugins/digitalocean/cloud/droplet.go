package cloud

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
)

const (
	dropletTimeout       = time.Hour
	dropletDeleteTimeout = time.Minute
)

// Droplet is a server.
type Droplet struct{}

// Annotate gives the official token.
func (d *Droplet) Annotate(a infer.Annotator) { a.SetToken("index/droplet", "Droplet") }

// Check makes up a name where there is none.
func (*Droplet) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[DropletArgs], error) {
	inputs, failures, err := infer.DefaultCheck[DropletArgs](ctx, named(req.Name, req.OldInputs, req.NewInputs))
	return infer.CheckResponse[DropletArgs]{Inputs: inputs, Failures: failures}, err
}

// Diff tells what changes in place and what replaces.
func (*Droplet) Diff(
	_ context.Context, req infer.DiffRequest[DropletArgs, DropletState],
) (infer.DiffResponse, error) {
	old, new, d := req.State, req.Inputs, diff{}
	d.replace("image", old.Image != new.Image)
	d.replace("region", new.Region != nil && !strings.EqualFold(valueOr(old.Region, ""), *new.Region))
	d.replace("sshKeys", setsDiffer(old.SSHKeys, new.SSHKeys))
	// Under ignoreChanges the framework hands the hash of the state back as the input.
	d.replace("userData", differ(old.UserData, new.UserData) && differ(old.UserData, hashed(new.UserData)))
	d.replace("monitoring", differ(old.Monitoring, new.Monitoring))
	d.replace("dropletAgent", differ(old.DropletAgent, new.DropletAgent))
	d.replace("vpcUuid", new.VPCUUID != nil && differ(old.VPCUUID, new.VPCUUID))
	d.replace("publicNetworking", valueOr(old.PublicNetworking, true) != valueOr(new.PublicNetworking, true))
	d.replace("gpuPartitionMode", differ(old.GPUPartitionMode, new.GPUPartitionMode))
	d.replace("ipv6", valueOr(old.IPv6, false) && !valueOr(new.IPv6, false))
	d.update("ipv6", !valueOr(old.IPv6, false) && valueOr(new.IPv6, false))
	d.update("size", !strings.EqualFold(old.Size, new.Size))
	d.update("name", differ(old.Name, new.Name))
	d.update("backups", differ(old.Backups, new.Backups))
	d.update("backupPolicy", new.BackupPolicy.differs(old.BackupPolicy))
	d.update("privateNetworking", new.PrivateNetworking != nil && differ(old.PrivateNetworking, new.PrivateNetworking))
	d.update("tags", setsDiffer(lower(old.Tags), lower(new.Tags)))
	d.update("gracefulShutdown", differ(old.GracefulShutdown, new.GracefulShutdown))
	d.update("resizeDisk", differ(old.ResizeDisk, new.ResizeDisk))
	return d.response(old.Name, new.Name), nil
}

// Create orders a Droplet and waits until it is active and has its address.
func (*Droplet) Create(
	ctx context.Context, req infer.CreateRequest[DropletArgs],
) (infer.CreateResponse[DropletState], error) {
	response := infer.CreateResponse[DropletState]{Output: DropletState{DropletArgs: req.Inputs}}
	if req.DryRun {
		return response, nil
	}
	order, err := req.Inputs.order()
	if err != nil {
		return response, err
	}
	droplet, _, err := api(ctx).Droplets.Create(context.Background(), order)
	if err != nil {
		return response, failed("Error creating droplet", err)
	}
	response.ID = strconv.Itoa(droplet.ID)
	state := &response.Output
	state.UserData = hashed(req.Inputs.UserData)
	state.read(droplet)
	// The create has happened: what goes wrong from here on must not lose it.
	if err := state.waitFor(ctx, droplet.ID, "status", []string{"new"}, "active", dropletTimeout); err != nil {
		reason := fmt.Sprintf("Error waiting for droplet (%s) to become ready: %s", response.ID, err)
		return response, infer.ResourceInitFailedError{Reasons: []string{reason}}
	}
	return response, nil
}

// Read looks the Droplet up; without a state it is an import.
func (*Droplet) Read(
	ctx context.Context, req infer.ReadRequest[DropletArgs, DropletState],
) (infer.ReadResponse[DropletArgs, DropletState], error) {
	response := infer.ReadResponse[DropletArgs, DropletState]{}
	id, err := strconv.Atoi(req.ID)
	if err != nil {
		return response, failed("invalid droplet id", err)
	}
	droplet, answer, err := api(ctx).Droplets.Get(context.Background(), id)
	if isGone(answer) {
		return response, nil
	}
	if err != nil {
		return response, failed("Error retrieving droplet", err)
	}
	response.ID, response.Inputs, response.State = req.ID, req.Inputs, req.State
	imported := req.State.CreatedAt == ""
	if imported {
		response.State.Image = imageOf(droplet)
		resizeDisk := true
		response.State.ResizeDisk = &resizeDisk
	}
	response.State.read(droplet)
	if imported {
		response.Inputs = response.State.DropletArgs
		response.Inputs.IPv6Address, response.Inputs.PrivateNetworking = nil, nil
	}
	return response, nil
}

// Delete waits until nothing holds the Droplet any more, deletes it, and waits until it is gone.
func (*Droplet) Delete(ctx context.Context, req infer.DeleteRequest[DropletState]) (infer.DeleteResponse, error) {
	done, state := infer.DeleteResponse{}, req.State
	id, err := strconv.Atoi(req.ID)
	if err != nil {
		return done, failed("invalid droplet id", err)
	}
	err = state.waitFor(ctx, id, "locked", []string{"true"}, "false", dropletDeleteTimeout)
	if err != nil {
		return done, failed(fmt.Sprintf("Error waiting for droplet to be unlocked for destroy (%d)", id), err)
	}
	if valueOr(state.GracefulShutdown, false) {
		if _, _, err := api(ctx).DropletActions.Shutdown(context.Background(), id); err != nil {
			return done, failed(fmt.Sprintf("Error shutting down the the droplet (%d)", id), err)
		}
		err = state.waitFor(ctx, id, "status", []string{"active"}, "off", dropletDeleteTimeout)
		if err != nil {
			return done, failed(fmt.Sprintf("Error waiting for droplet (%d) to become off", id), err)
		}
	}
	answer, err := api(ctx).Droplets.Delete(context.Background(), id)
	if err != nil && isGone(answer) {
		return done, nil
	}
	err = state.waitFor(ctx, id, "status", []string{"active", "off"}, "archive", dropletDeleteTimeout)
	if err != nil && !strings.Contains(err.Error(), strconv.Itoa(http.StatusNotFound)) {
		return done, failed("Error deleting droplet", err)
	}
	return done, nil
}

// waitFor looks at one attribute of the Droplet, and keeps all that it sees. While the Droplet is locked it has none.
func (s *DropletState) waitFor(
	ctx context.Context, id int, attribute string, pending []string, target string, most time.Duration,
) error {
	look := func() (string, error) {
		droplet, answer, err := api(ctx).Droplets.Get(context.Background(), id)
		if isGone(answer) && target == "active" && slices.Equal(pending, []string{"new"}) {
			// One that was just ordered may not be shown yet.
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("Error retrieving droplet: %w", err)
		}
		s.read(droplet)
		public := valueOr(s.PublicNetworking, true)
		if droplet.Locked || (target == "active" && droplet.Status == target && public && s.IPv4Address == "") {
			return "", nil
		}
		return attributeOf(droplet, attribute), nil
	}
	return wait{pending, target, timeout(ctx, most), look}.run(ctx)
}

func attributeOf(droplet *godo.Droplet, attribute string) string {
	switch attribute {
	case "status":
		return droplet.Status
	case "locked":
		return strconv.FormatBool(droplet.Locked)
	case "name":
		return droplet.Name
	default:
		return strconv.FormatBool(hasFeature(droplet, attribute))
	}
}
