import { type Answer, type ApiRequest, notFound, page, type Route } from "./api";
import type { Image, Region, Size } from "./catalog";
import type { Cloud } from "./cloud";

/** Whether the lists say that a plan can be had in a region. */
export function isShown(cloud: Cloud, size: Size, region: Region): boolean {
  const hidden = cloud.faults
    .all("noCapacity", { region: region.slug, size: size.slug })
    .some(({ shows }) => shows === "catalogue");
  return !hidden && size.available && region.available && size.regions.includes(region.slug);
}

/** A region as the API tells it. */
export function regionBody(cloud: Cloud, region: Region): unknown {
  const offered = cloud.sizes.filter((size) => isShown(cloud, size, region)).map(({ slug }) => slug);
  return {
    name: region.name,
    slug: region.slug,
    features: region.features,
    available: offered.length > 0,
    sizes: offered,
  };
}

/** A plan as the API tells it. */
export function sizeBody(cloud: Cloud, size: Size): unknown {
  const where = cloud.regions.filter((region) => isShown(cloud, size, region)).map(({ slug }) => slug);
  return {
    slug: size.slug,
    memory: size.memory,
    vcpus: size.vcpus,
    disk: size.disk,
    transfer: size.transfer,
    price_monthly: size.price_monthly,
    price_hourly: size.price_hourly,
    regions: where,
    available: size.available && where.length > 0,
    description: size.description,
    disk_info: [{ type: "local", size: { amount: size.disk, unit: "gib" } }],
  };
}

/** An image as the API tells it; those of a distribution are everywhere. */
export function imageBody(cloud: Cloud, image: Image): unknown {
  return {
    id: image.id,
    name: image.name,
    distribution: image.distribution,
    slug: image.slug,
    public: true,
    regions: cloud.regions.map(({ slug }) => slug),
    created_at: image.created_at,
    min_disk_size: image.min_disk_size,
    type: "base",
    size_gigabytes: image.size_gigabytes,
    description: image.description,
    tags: [],
    status: "available",
    error_message: "",
  };
}

/** By number or slug, as creates and look-ups name it. */
export function findImage(cloud: Cloud, named: string | number): Image | undefined {
  return cloud.images.find(({ id, slug }) => String(id) === String(named) || slug === named);
}

function images(cloud: Cloud, request: ApiRequest): Answer {
  const type = request.query.get("type") ?? "distribution";
  const own = request.query.get("private") === "true" || request.query.has("tag_name");
  const shown = own || type !== "distribution" ? [] : cloud.images;
  return page(
    request,
    "images",
    shown.map((image) => imageBody(cloud, image)),
  );
}

function image(cloud: Cloud, { params }: ApiRequest): Answer {
  const found = findImage(cloud, params.image ?? "");
  if (!found) throw notFound();
  return { status: 200, body: { image: imageBody(cloud, found) } };
}

export const offerRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/regions",
    answer: (cloud, request) =>
      page(
        request,
        "regions",
        cloud.regions.map((region) => regionBody(cloud, region)),
      ),
  },
  {
    method: "GET",
    path: "/v2/sizes",
    answer: (cloud, request) =>
      page(
        request,
        "sizes",
        cloud.sizes.map((size) => sizeBody(cloud, size)),
      ),
  },
  { method: "GET", path: "/v2/images", answer: images },
  { method: "GET", path: "/v2/images/:image", answer: image },
];
