package cloud

import (
	"context"
	"strconv"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// Place is a location.
type Place struct {
	City        string  `json:"city"`
	Country     string  `json:"country"`
	Description string  `json:"description"`
	ID          int     `json:"id"`
	Latitude    float64 `json:"latitude"`
	Longitude   float64 `json:"longitude"`
	Name        string  `json:"name"`
	NetworkZone string  `json:"networkZone"`
}

// Places is the answer of getLocations.
type Places struct {
	Descriptions []string `json:"descriptions"`
	ID           string   `json:"id"`
	LocationIDs  []string `json:"locationIds"`
	Locations    []Place  `json:"locations"`
	Names        []string `json:"names"`
}

func getLocations(ctx context.Context, client *hcloud.Client, _ None) (Places, error) {
	locations, err := client.Location.All(ctx)
	if err != nil {
		return Places{}, err
	}
	places := Places{Descriptions: []string{}, LocationIDs: []string{}, Locations: []Place{}, Names: []string{}}
	for _, location := range locations {
		places.Descriptions = append(places.Descriptions, location.Description)
		places.LocationIDs = append(places.LocationIDs, strconv.FormatInt(location.ID, 10))
		places.Names = append(places.Names, location.Name)
		places.Locations = append(places.Locations, placeOf(location))
	}
	places.ID = sha1Of(strings.Join(places.LocationIDs, "-"))
	return places, nil
}

func placeOf(location *hcloud.Location) Place {
	return Place{
		City: location.City, Country: location.Country, Description: location.Description, ID: int(location.ID),
		Latitude: location.Latitude, Longitude: location.Longitude, Name: location.Name,
		NetworkZone: string(location.NetworkZone),
	}
}

// Datacenters is the answer of getDatacenters: the API answers 410 since October 2026.
type Datacenters struct {
	DatacenterIDs []string `json:"datacenterIds"`
	Descriptions  []string `json:"descriptions"`
	ID            string   `json:"id"`
	Names         []string `json:"names"`
}

func getDatacenters(ctx context.Context, client *hcloud.Client, _ None) (Datacenters, error) {
	_, err := client.Datacenter.All(ctx)
	return Datacenters{}, err
}
