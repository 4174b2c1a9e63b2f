import type { Route } from "../api/http";
import { listing } from "./answers";
import { type Image, images, type Region, regions, type Size, sizes } from "./catalog";

/** True if the lists offer a plan in a region. */
export function isShown(size: Size, region: Region): boolean {
  return region.available && size.regions.includes(region.slug);
}

/** Returns a region in the API's form. */
export function regionBody(region: Region) {
  return { ...region, sizes: sizes.filter((size) => isShown(size, region)).map(({ slug }) => slug) };
}

/** Returns a plan in the API's form. */
export function sizeBody(size: Size) {
  return { ...size, available: size.regions.length > 0 };
}

export function imageBody({ id, slug }: Image) {
  return { id, slug, public: true, type: "base", status: "available" };
}

export const offerRoutes: readonly Route[] = [
  ["GET", "/regions", () => listing("regions", regions.map(regionBody))],
  ["GET", "/sizes", () => listing("sizes", sizes.map(sizeBody))],
  ["GET", "/images", () => listing("images", images.map(imageBody))],
];
