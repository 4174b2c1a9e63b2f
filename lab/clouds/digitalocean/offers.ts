import { type ApiRequest, page, type Route } from "./api";
import { type Image, images, type Region, regions, type Size, sizes } from "./catalog";
import type { Cloud } from "./cloud";

/** True if the lists offer a plan in a region. */
export function isShown(cloud: Cloud, size: Size, region: Region): boolean {
  const hidden = cloud.faults
    .all("noCapacity", { region: region.slug, size: size.slug })
    .some(({ shows }) => shows === "catalogue");
  return !hidden && region.available && size.regions.includes(region.slug);
}

/** Returns a region in the API's form. */
export function regionBody(cloud: Cloud, region: Region) {
  const offered = sizes.filter((size) => isShown(cloud, size, region)).map(({ slug }) => slug);
  return { slug: region.slug, available: offered.length > 0, sizes: offered };
}

/** Returns a plan in the API's form. */
export function sizeBody(cloud: Cloud, size: Size) {
  const where = regions.filter((region) => isShown(cloud, size, region)).map(({ slug }) => slug);
  return { ...size, regions: where, available: where.length > 0 };
}

export function imageBody({ id, slug }: Image) {
  return { id, slug, public: true, type: "base", status: "available" };
}

const list =
  (key: string, bodies: (cloud: Cloud) => readonly unknown[]) =>
  (cloud: Cloud, request: ApiRequest): ReturnType<typeof page> =>
    page(request, key, bodies(cloud));

export const offerRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/regions",
    answer: list("regions", (cloud) => regions.map((region) => regionBody(cloud, region))),
  },
  { method: "GET", path: "/v2/sizes", answer: list("sizes", (cloud) => sizes.map((size) => sizeBody(cloud, size))) },
  { method: "GET", path: "/v2/images", answer: list("images", () => images.map(imageBody)) },
];
