import { ok, type Route } from "../api/http";
import { invalidInput, notFound } from "./apiError";
import { listing } from "./listing";
import { type Image, images, type Plan, places, planPrices, plans, pricing } from "./offers";

/** Returns the server type with an id or a name. Clients send either. */
export function findPlan(idOrName: string | number): Plan {
  const found = plans.find((plan) => isOne(idOrName, plan));
  if (!found) throw invalidInput("server_type", "server type not found");
  return found;
}

export function findImage(idOrName: string | number, architecture: Plan["architecture"]): Image {
  const found = images.find((image) => isOne(idOrName, image) && image.architecture === architecture);
  if (!found) throw notFound("image");
  return found;
}

export function findPlace(name: string | undefined) {
  const found = places.find((place) => place.name === (name ?? places[0]?.name));
  if (!found) throw invalidInput("location", "location not found");
  return found;
}

/** Returns a server type in the API's form. */
export function planJson(plan: Plan) {
  const { prices, available, ...rest } = plan;
  return {
    ...rest,
    deprecated: false,
    deprecation: null,
    prices: planPrices(plan),
    locations: Object.keys(prices).map((location) => ({ ...findPlace(location), deprecation: null, available })),
  };
}

export const catalogueRoutes: readonly Route[] = [
  ["GET", "/server_types", ({ query }) => listing("server_types", plans.map(planJson), query)],
  ["GET", "/server_types/:id", ({ params }) => ok({ server_type: planJson(findPlan(params.id ?? "")) })],
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

const isOne = (wanted: string | number, { id, name }: { readonly id: number; readonly name: string }) =>
  wanted === name || String(wanted) === String(id);
