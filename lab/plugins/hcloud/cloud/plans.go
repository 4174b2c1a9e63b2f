package cloud

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// None is the inputs of a function without any.
type None struct{}

// PlanLocation is where a server type is offered.
type PlanLocation struct {
	Available            bool   `json:"available"`
	DeprecationAnnounced string `json:"deprecationAnnounced"`
	ID                   int    `json:"id"`
	IsDeprecated         bool   `json:"isDeprecated"`
	Name                 string `json:"name"`
	Recommended          bool   `json:"recommended"`
	UnavailableAfter     string `json:"unavailableAfter"`
}

// Plan is a server type. It has no price: the original's has none either.
type Plan struct {
	Architecture         string         `json:"architecture"`
	Category             string         `json:"category"`
	Cores                int            `json:"cores"`
	CPUType              string         `json:"cpuType"`
	DeprecationAnnounced string         `json:"deprecationAnnounced"`
	Description          string         `json:"description"`
	Disk                 int            `json:"disk"`
	ID                   int            `json:"id"`
	IncludedTraffic      int            `json:"includedTraffic"`
	IsDeprecated         bool           `json:"isDeprecated"`
	Locations            []PlanLocation `json:"locations"`
	Memory               float64        `json:"memory"`
	Name                 string         `json:"name"`
	StorageType          string         `json:"storageType"`
	UnavailableAfter     string         `json:"unavailableAfter"`
}

func deprecation(resource hcloud.DeprecatableResource) (announced, until string) {
	if !resource.IsDeprecated() {
		return "", ""
	}
	return resource.DeprecationAnnounced().Format(time.RFC3339), resource.UnavailableAfter().Format(time.RFC3339)
}

func planOf(t *hcloud.ServerType) Plan {
	plan := Plan{
		Architecture: string(t.Architecture), Category: t.Category, Cores: t.Cores, CPUType: string(t.CPUType),
		Description: t.Description, Disk: t.Disk, ID: int(t.ID), IsDeprecated: t.IsDeprecated(),
		Memory: float64(t.Memory), Name: t.Name, StorageType: string(t.StorageType), Locations: []PlanLocation{},
	}
	plan.DeprecationAnnounced, plan.UnavailableAfter = deprecation(t.DeprecatableResource)
	for _, at := range t.Locations {
		location := PlanLocation{
			Available: at.Available, Recommended: at.Recommended, IsDeprecated: at.IsDeprecated(),
			ID: int(at.Location.ID), Name: at.Location.Name,
		}
		location.DeprecationAnnounced, location.UnavailableAfter = deprecation(at.DeprecatableResource)
		plan.Locations = append(plan.Locations, location)
	}
	return plan
}

// Plans is the answer of getServerTypes.
type Plans struct {
	Descriptions  []string `json:"descriptions"`
	ID            string   `json:"id"`
	Names         []string `json:"names"`
	ServerTypeIDs []string `json:"serverTypeIds"`
	ServerTypes   []Plan   `json:"serverTypes"`
}

func getServerTypes(ctx context.Context, client *hcloud.Client, _ None) (Plans, error) {
	types, err := client.ServerType.All(ctx)
	if err != nil {
		return Plans{}, err
	}
	plans := Plans{Descriptions: []string{}, Names: []string{}, ServerTypeIDs: []string{}, ServerTypes: []Plan{}}
	for _, serverType := range types {
		plans.Descriptions = append(plans.Descriptions, serverType.Description)
		plans.Names = append(plans.Names, serverType.Name)
		plans.ServerTypeIDs = append(plans.ServerTypeIDs, strconv.FormatInt(serverType.ID, 10))
		plans.ServerTypes = append(plans.ServerTypes, planOf(serverType))
	}
	plans.ID = sha1Of(strings.Join(plans.ServerTypeIDs, "-"))
	return plans, nil
}

// ByIDOrName is how one of a kind is asked for.
type ByIDOrName struct {
	ID   *int    `json:"id,omitempty"`
	Name *string `json:"name,omitempty"`
}

func (b ByIDOrName) text() (string, error) {
	if b.ID != nil {
		return strconv.Itoa(*b.ID), nil
	}
	if b.Name == nil {
		return "", errors.New("please specify an id, or a name to look up")
	}
	return *b.Name, nil
}

func getServerType(ctx context.Context, client *hcloud.Client, in ByIDOrName) (Plan, error) {
	wanted, err := in.text()
	if err != nil {
		return Plan{}, err
	}
	serverType, _, err := client.ServerType.Get(ctx, wanted)
	if err == nil && serverType == nil {
		err = errors.New("no server type found with " + wanted)
	}
	if err != nil {
		return Plan{}, err
	}
	return planOf(serverType), nil
}
