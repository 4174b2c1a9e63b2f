import { z } from "zod";
import { invalidInput, notFound } from "./apiError";
import type { Faults } from "./faults";
import { type Answer, ok, type Route } from "./http";
import { type Deprecation, type Image, images } from "./images";
import { listing } from "./listing";
import { type Place, places } from "./places";
import { type Plan, plans } from "./plans";
import { planPrices, pricing } from "./pricing";

const deprecation = z.strictObject({ announced: z.string(), unavailable_after: z.string() }).nullable();

/** What a test may change of the catalogue, by name. */
export const catalogueSchema = z.strictObject({
  serverTypes: z
    .record(
      z.string(),
      z.strictObject({
        /** Net, in EUR a month: in every location, or by location. */
        monthly: z.union([z.number(), z.record(z.string(), z.number())]).optional(),
        /** Everywhere where it is listed, or in these locations. */
        available: z.union([z.boolean(), z.array(z.string())]).optional(),
        deprecation: deprecation.optional(),
        gone: z.boolean().optional(),
      }),
    )
    .optional(),
  images: z
    .record(z.string(), z.strictObject({ deprecation: deprecation.optional(), gone: z.boolean().optional() }))
    .optional(),
});

type Offered = Plan & { readonly deprecation: Deprecation | null };

/** What is for sale: locations, server types with their prices, images. */
export class Catalogue {
  private readonly plans = new Map<string, Offered>(plans.map((plan) => [plan.name, { ...plan, deprecation: null }]));
  private images: Image[] = [...images];

  constructor(
    private readonly faults: Faults,
    private readonly now: () => number,
  ) {}

  change(changes: z.infer<typeof catalogueSchema>): void {
    for (const [name, change] of Object.entries(changes.serverTypes ?? {})) {
      const plan = this.plan(name);
      if (change.gone) this.plans.delete(name);
      else this.plans.set(name, changed(plan, change));
    }
    for (const [name, change] of Object.entries(changes.images ?? {})) {
      if (!this.images.some((image) => image.name === name)) throw notFound("image");
      this.images = this.images
        .filter((image) => image.name !== name || !change.gone)
        .map((image) =>
          image.name === name && change.deprecation !== undefined
            ? { ...image, deprecation: change.deprecation, deprecated: change.deprecation?.announced ?? null }
            : image,
        );
    }
  }

  /** By id or name, as clients send it. */
  plan(idOrName: string | number): Offered {
    const found = [...this.plans.values()].find(({ id, name }) => isOne(idOrName, id, name));
    if (!found) throw invalidInput("server_type", "server type not found");
    return found;
  }

  image(idOrName: string | number, architecture: Plan["architecture"]): Image {
    const found = this.images.filter(({ id, name }) => isOne(idOrName, id, name));
    if (found.length === 0) throw notFound("image");
    const fitting = found.find((image) => image.architecture === architecture);
    if (!fitting) throw invalidInput("image", "image and server type have different architectures");
    return fitting;
  }

  place(name: string | undefined): Place {
    const found = places.find((place) => place.name === (name ?? places[0]?.name));
    if (!found) throw invalidInput("location", "location not found");
    return found;
  }

  /** What the list says of room there: a hint, as at the provider, where orders at `false` have come to pass. */
  isAvailable(plan: Plan, location: string): boolean {
    return plan.available.includes(location) && this.hasRoom(plan, location);
  }

  /** Whether an order would find room there, as far as the list's own faults tell. */
  hasRoom(plan: Plan, location: string): boolean {
    const concerns = (fault: { location?: string | undefined; serverType?: string | undefined; shows: string }) =>
      fault.shows === "catalogue" &&
      (fault.location ?? location) === location &&
      (fault.serverType ?? plan.name) === plan.name;
    return !this.faults.shows("noCapacity", concerns);
  }

  /** Refuses what cannot be ordered any more, or not there. */
  order(plan: Offered, location: string): void {
    if (plan.deprecation && this.now() > Date.parse(plan.deprecation.unavailable_after)) {
      throw invalidInput("server_type", `server type ${plan.id} is deprecated`);
    }
    if (plan.prices[location] === undefined) throw invalidInput("location", "unsupported location for server type");
  }

  planJson(plan: Offered): object {
    return {
      id: plan.id,
      name: plan.name,
      description: plan.name.toUpperCase(),
      category: plan.category,
      cores: plan.cores,
      memory: plan.memory,
      disk: plan.disk,
      deprecated: plan.deprecation !== null,
      deprecation: plan.deprecation,
      prices: planPrices(plan),
      storage_type: "local",
      cpu_type: plan.cpuType,
      architecture: plan.architecture,
      // Without meaning since 2024: the traffic stands with the prices.
      included_traffic: 0,
      locations: Object.keys(plan.prices).map((name) => ({
        id: this.place(name).id,
        name,
        available: this.isAvailable(plan, name),
        recommended: plan.category === "regular_purpose" && this.isAvailable(plan, name),
        deprecation: plan.deprecation,
      })),
    };
  }

  private listPlans(query: URLSearchParams): Answer {
    const all = [...this.plans.values()].map((plan) => this.planJson(plan) as { id: number; name: string });
    return listing("server_types", all, query);
  }

  private listImages(query: URLSearchParams): Answer {
    const oneOf = (key: string, value: string) => query.getAll(key).length === 0 || query.getAll(key).includes(value);
    const deprecatedToo = query.get("include_deprecated") === "true";
    const found = this.images.filter(
      (image) =>
        oneOf("type", image.type) &&
        oneOf("status", image.status) &&
        oneOf("architecture", image.architecture) &&
        !query.has("bound_to") &&
        (deprecatedToo || image.deprecated === null),
    );
    return listing("images", found, query);
  }

  readonly routes: readonly Route[] = [
    ["GET", "/locations", ({ query }) => listing("locations", places, query)],
    ["GET", "/locations/:id", ({ params }) => ok({ location: byId(places, params.id, "location") })],
    ["GET", "/server_types", ({ query }) => this.listPlans(query)],
    [
      "GET",
      "/server_types/:id",
      ({ params }) => ok({ server_type: this.planJson(byId([...this.plans.values()], params.id, "server type")) }),
    ],
    ["GET", "/images", ({ query }) => this.listImages(query)],
    ["GET", "/images/:id", ({ params }) => ok({ image: byId(this.images, params.id, "image") })],
    ["GET", "/pricing", () => ok({ pricing: pricing([...this.plans.values()]) })],
  ];
}

function changed(plan: Offered, change: NonNullable<z.infer<typeof catalogueSchema>["serverTypes"]>[string]): Offered {
  const { monthly, available } = change;
  const everywhere = Object.keys(plan.prices);
  const prices =
    typeof monthly === "number"
      ? Object.fromEntries(everywhere.map((at) => [at, monthly]))
      : { ...plan.prices, ...monthly };
  const list = Array.isArray(available) ? available : available ? everywhere : [];
  return {
    ...plan,
    prices,
    available: available === undefined ? plan.available : list,
    deprecation: change.deprecation === undefined ? plan.deprecation : change.deprecation,
  };
}

const isOne = (wanted: string | number, id: number, name: string) => wanted === name || String(wanted) === String(id);

function byId<T extends { readonly id: number }>(all: readonly T[], id: string | undefined, what: string): T {
  const found = all.find((one) => String(one.id) === id);
  if (!found) throw notFound(what);
  return found;
}
