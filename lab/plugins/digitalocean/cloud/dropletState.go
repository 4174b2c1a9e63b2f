package cloud

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// BackupPolicy says when backups are made.
type BackupPolicy struct {
	Hour    *int    `pulumi:"hour,optional"`
	Plan    *string `pulumi:"plan,optional"`
	Weekday *string `pulumi:"weekday,optional"`
}

func (p *BackupPolicy) differs(old *BackupPolicy) bool {
	if p == nil || old == nil {
		return p != old
	}
	return differ(old.Hour, p.Hour) || differ(old.Plan, p.Plan) || differ(old.Weekday, p.Weekday)
}

func (p *BackupPolicy) request() *godo.DropletBackupPolicyRequest {
	if p == nil {
		return nil
	}
	hour := valueOr(p.Hour, 0)
	return &godo.DropletBackupPolicyRequest{Plan: valueOr(p.Plan, ""), Weekday: valueOr(p.Weekday, ""), Hour: &hour}
}

// DropletArgs are what a program sets.
type DropletArgs struct {
	BackupPolicy      *BackupPolicy `pulumi:"backupPolicy,optional"`
	Backups           *bool         `pulumi:"backups,optional"`
	DropletAgent      *bool         `pulumi:"dropletAgent,optional"`
	GPUPartitionMode  *string       `pulumi:"gpuPartitionMode,optional"`
	GracefulShutdown  *bool         `pulumi:"gracefulShutdown,optional"`
	Image             string        `pulumi:"image"`
	IPv6              *bool         `pulumi:"ipv6,optional"`
	IPv6Address       *string       `pulumi:"ipv6Address,optional"`
	Monitoring        *bool         `pulumi:"monitoring,optional"`
	Name              *string       `pulumi:"name,optional"`
	PrivateNetworking *bool         `pulumi:"privateNetworking,optional"`
	PublicNetworking  *bool         `pulumi:"publicNetworking,optional"`
	Region            *string       `pulumi:"region,optional"`
	ResizeDisk        *bool         `pulumi:"resizeDisk,optional"`
	Size              string        `pulumi:"size"`
	SSHKeys           []string      `pulumi:"sshKeys,optional"`
	Tags              []string      `pulumi:"tags,optional"`
	UserData          *string       `pulumi:"userData,optional"`
	VolumeIDs         []string      `pulumi:"volumeIds,optional"`
	VPCUUID           *string       `pulumi:"vpcUuid,optional"`
}

// Annotate sets the defaults that Check fills in.
func (d *DropletArgs) Annotate(a infer.Annotator) {
	a.SetDefault(&d.Backups, false)
	a.SetDefault(&d.GracefulShutdown, false)
	a.SetDefault(&d.IPv6, false)
	a.SetDefault(&d.Monitoring, false)
	a.SetDefault(&d.ResizeDisk, true)
}

// DropletState is what is known of a Droplet.
type DropletState struct {
	DropletArgs
	CreatedAt          string  `pulumi:"createdAt"`
	Disk               int     `pulumi:"disk"`
	DropletURN         string  `pulumi:"dropletUrn"`
	IPv4Address        string  `pulumi:"ipv4Address"`
	IPv4AddressPrivate string  `pulumi:"ipv4AddressPrivate"`
	Locked             bool    `pulumi:"locked"`
	Memory             int     `pulumi:"memory"`
	PriceHourly        float64 `pulumi:"priceHourly"`
	PriceMonthly       float64 `pulumi:"priceMonthly"`
	Status             string  `pulumi:"status"`
	Vcpus              int     `pulumi:"vcpus"`
}

var errPolicyWithoutBackups = errors.New("backup_policy can only be set when backups are enabled")

func (d *DropletArgs) order() (*godo.DropletCreateRequest, error) {
	if d.BackupPolicy != nil && !valueOr(d.Backups, false) {
		return nil, errPolicyWithoutBackups
	}
	order := &godo.DropletCreateRequest{
		Name:              valueOr(d.Name, ""),
		Region:            strings.ToLower(valueOr(d.Region, "")),
		Size:              strings.ToLower(d.Size),
		Tags:              d.Tags,
		Backups:           valueOr(d.Backups, false),
		BackupPolicy:      d.BackupPolicy.request(),
		IPv6:              valueOr(d.IPv6, false),
		PrivateNetworking: valueOr(d.PrivateNetworking, false),
		Monitoring:        valueOr(d.Monitoring, false),
		UserData:          valueOr(d.UserData, ""),
		VPCUUID:           valueOr(d.VPCUUID, ""),
		WithDropletAgent:  d.DropletAgent,
		PublicNetworking:  d.PublicNetworking,
		GPUPartitionMode:  valueOr(d.GPUPartitionMode, ""),
	}
	if id, err := strconv.Atoi(d.Image); err == nil {
		order.Image.ID = id
	} else {
		order.Image.Slug = d.Image
	}
	for _, key := range d.SSHKeys {
		if id, err := strconv.Atoi(key); err == nil {
			order.SSHKeys = append(order.SSHKeys, godo.DropletCreateSSHKey{ID: id})
		} else {
			order.SSHKeys = append(order.SSHKeys, godo.DropletCreateSSHKey{Fingerprint: key})
		}
	}
	return order, nil
}

// read takes over what the API tells. Image, ssh keys and user data are not among it: a slug moves on to newer images.
func (s *DropletState) read(droplet *godo.Droplet) {
	s.Name, s.DropletURN, s.CreatedAt = &droplet.Name, droplet.URN(), droplet.Created
	s.Disk, s.Vcpus, s.Memory = droplet.Disk, droplet.Vcpus, droplet.Memory
	s.Status, s.Locked, s.VPCUUID = droplet.Status, droplet.Locked, &droplet.VPCUUID
	s.Tags, s.VolumeIDs = droplet.Tags, droplet.VolumeIDs
	if droplet.Region != nil {
		s.Region = &droplet.Region.Slug
	}
	if droplet.Size != nil {
		s.Size, s.PriceHourly, s.PriceMonthly = droplet.Size.Slug, droplet.Size.PriceHourly, droplet.Size.PriceMonthly
	}
	s.IPv4Address, s.IPv4AddressPrivate = addressV4(droplet, "public"), addressV4(droplet, "private")
	ipv6 := addressV6(droplet, "public")
	s.IPv6Address = &ipv6
	public := valueOr(s.PublicNetworking, true)
	s.PublicNetworking = &public
	for name, property := range map[string]**bool{
		"backups": &s.Backups, "ipv6": &s.IPv6, "monitoring": &s.Monitoring, "private_networking": &s.PrivateNetworking,
	} {
		has := hasFeature(droplet, name)
		*property = &has
	}
}

func hasFeature(droplet *godo.Droplet, feature string) bool {
	return slices.Contains(droplet.Features, feature)
}

func addressV4(droplet *godo.Droplet, kind string) string {
	if droplet.Networks != nil {
		for _, address := range droplet.Networks.V4 {
			if address.Type == kind {
				return address.IPAddress
			}
		}
	}
	return ""
}

func addressV6(droplet *godo.Droplet, kind string) string {
	if droplet.Networks != nil {
		for _, address := range droplet.Networks.V6 {
			if address.Type == kind {
				return strings.ToLower(address.IPAddress)
			}
		}
	}
	return ""
}

func imageOf(droplet *godo.Droplet) string {
	if droplet.Image == nil {
		return ""
	}
	if droplet.Image.Slug != "" {
		return droplet.Image.Slug
	}
	return strconv.Itoa(droplet.Image.ID)
}

// hashed is how user data stands in the state.
func hashed(userData *string) *string {
	if userData == nil {
		return nil
	}
	sum := sha1.Sum([]byte(*userData))
	text := hex.EncodeToString(sum[:])
	return &text
}

func lower(texts []string) []string {
	lowered := make([]string, len(texts))
	for i, text := range texts {
		lowered[i] = strings.ToLower(text)
	}
	return lowered
}
