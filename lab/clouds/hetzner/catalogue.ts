import { invalidInput, notFound } from "./apiError";
import type { Faults } from "./faults";
import { ok, type Route } from "./http";
import { listing } from "./listing";
import { type Image, images, type Plan, places, planPrices, plans, pricing } from "./offers";

/** The catalogue: server types with their prices, and images. */
export class Catalogue {
  constructor(private readonly faults: Faults) {}

  /** Returns the server type with an id or a name. Clients send either. */
  plan(idOrName: string | number): Plan {
    const found = plans.find((plan) => isOne(idOrName, plan));
    if (!found) throw invalidInput("server_type", "server type not found");
    return found;
  }

  image(idOrName: string | number, architecture: Plan["architecture"]): Image {
    const found = images.find((image) => isOne(idOrName, image) && image.architecture === architecture);
    if (!found) throw notFound("image");
    return found;
  }

  place(name: string | undefined) {
    const found = places.find((place) => place.name === (name ?? places[0]?.name));
    if (!found) throw invalidInput("location", "location not found");
    return found;
  }

  /** True if no catalogue fault takes the server type's capacity at the location. */
  hasRoom(plan: Plan, location: string): boolean {
    return !this.faults.shows(
      "noCapacity",
      (fault) =>
        fault.shows === "catalogue" &&
        (fault.location ?? location) === location &&
        (fault.serverType ?? plan.name) === plan.name,
    );
  }

  planJson(plan: Plan) {
    const { id, name, cores, memory, disk, architecture, prices, available } = plan;
    return {
      id,
      name,
      cores,
      memory,
      disk,
      architecture,
      deprecated: false,
      deprecation: null,
      prices: planPrices(plan),
      locations: Object.keys(prices).map((location) => ({
        id: this.place(location).id,
        name: location,
        deprecation: null,
        available: available && this.hasRoom(plan, location),
      })),
    };
  }

  readonly routes: readonly Route[] = [
    [
      "GET",
      "/server_types",
      ({ query }) =>
        listing(
          "server_types",
          plans.map((plan) => this.planJson(plan)),
          query,
        ),
    ],
    ["GET", "/server_types/:id", ({ params }) => ok({ server_type: this.planJson(this.plan(params.id ?? "")) })],
    [
      "GET",
      "/images",
      ({ query }) => {
        const architecture = query.get("architecture");
        const found = images.filter((image) => architecture === null || image.architecture === architecture);
        return listing("images", found, query);
      },
    ],
    ["GET", "/pricing", () => ok({ pricing })],
  ];
}

const isOne = (wanted: string | number, { id, name }: { readonly id: number; readonly name: string }) =>
  wanted === name || String(wanted) === String(id);
