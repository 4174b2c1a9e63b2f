/** A location as the API answers it. */
export interface Place {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly country: string;
  readonly city: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly network_zone: string;
}

function place(
  id: number,
  name: string,
  [description, country, city]: [string, string, string],
  [latitude, longitude]: [number, number],
  network_zone: string,
): Place {
  return { id, name, description, country, city, latitude, longitude, network_zone };
}

/** The six locations of 2026 (docs.hetzner.com, cloud/general/locations). The first one is taken when none is given. */
export const places: readonly Place[] = [
  place(1, "fsn1", ["Falkenstein DC Park 1", "DE", "Falkenstein"], [50.47612, 12.370071], "eu-central"),
  place(2, "nbg1", ["Nuremberg DC Park 1", "DE", "Nuremberg"], [49.452102, 11.076665], "eu-central"),
  place(3, "hel1", ["Helsinki DC Park 1", "FI", "Helsinki"], [60.169855, 24.938379], "eu-central"),
  place(4, "ash", ["Ashburn, VA", "US", "Ashburn, VA"], [39.045821, -77.487073], "us-east"),
  place(5, "hil", ["Hillsboro, OR", "US", "Hillsboro, OR"], [45.54222, -122.951924], "us-west"),
  place(6, "sin", ["Singapore", "SG", "Singapore"], [1.283333, 103.833333], "ap-southeast"),
];
