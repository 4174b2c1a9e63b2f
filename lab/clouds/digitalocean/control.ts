import { z } from "zod";
import { type Answer, type ApiRequest, bodyAs, notFound, type Route } from "./api";
import type { Cloud } from "./cloud";
import { faultSchema } from "./faults";
import { reachesOut } from "./firewallRules";

const sizePatch = z.strictObject({
  available: z.boolean().optional(),
  price_monthly: z.number().nonnegative().optional(),
  price_hourly: z.number().nonnegative().optional(),
  regions: z.array(z.string()).optional(),
});
const regionPatch = z.strictObject({ available: z.boolean().optional() });
const accountPatch = z.strictObject({
  droplet_limit: z.number().int().nonnegative().optional(),
  status: z.enum(["active", "warning", "locked"]).optional(),
  status_message: z.string().optional(),
});
const timingsPatch = z.strictObject({
  create: z.number().nonnegative().optional(),
  action: z.number().nonnegative().optional(),
  delete: z.number().nonnegative().optional(),
});

// Tests use these shapes: what the API tells, and what only its provider knows.
async function servers(cloud: Cloud): Promise<Answer> {
  const told = [...cloud.droplets.values()].map(async (droplet) => ({
    id: droplet.id,
    name: droplet.name,
    machine: droplet.machine,
    status: droplet.status,
    region: droplet.region,
    size: droplet.size,
    image: droplet.image.slug,
    tags: [...droplet.tags],
    address: droplet.address ?? null,
    running: await cloud.room.isRunning(droplet.machine),
    reachesOut: reachesOut(cloud, droplet),
  }));
  return { status: 200, body: { servers: await Promise.all(told) } };
}

function patch<T extends object>(target: T | undefined, schema: z.ZodType<object>, request: ApiRequest): Answer {
  if (!target) throw notFound();
  Object.assign(target, bodyAs(schema, request));
  return { status: 200, body: target };
}

function removeImage(cloud: Cloud, { params }: ApiRequest): Answer {
  cloud.images = cloud.images.filter(({ slug }) => slug !== params.slug);
  return { status: 204 };
}

/** The test's own door, beside the API; no token, and never a part of what the API itself answers. */
export const controlRoutes: readonly Route[] = [
  { method: "GET", path: "/_lab/requests", answer: ({ requests }) => ({ status: 200, body: { requests } }) },
  {
    method: "DELETE",
    path: "/_lab/requests",
    answer: ({ requests }) => {
      requests.length = 0;
      return { status: 204 };
    },
  },
  { method: "GET", path: "/_lab/servers", answer: servers },
  { method: "GET", path: "/_lab/faults", answer: ({ faults }) => ({ status: 200, body: { faults: faults.list() } }) },
  {
    method: "POST",
    path: "/_lab/faults",
    answer: ({ faults }, request) => ({ status: 201, body: { id: faults.add(bodyAs(faultSchema, request)) } }),
  },
  {
    method: "DELETE",
    path: "/_lab/faults",
    answer: ({ faults }) => {
      faults.remove();
      return { status: 204 };
    },
  },
  {
    method: "DELETE",
    path: "/_lab/faults/:id",
    answer: ({ faults }, { params }) => {
      faults.remove(Number(params.id));
      return { status: 204 };
    },
  },
  {
    method: "PATCH",
    path: "/_lab/sizes/:slug",
    answer: (cloud, request) =>
      patch(
        cloud.sizes.find(({ slug }) => slug === request.params.slug),
        sizePatch,
        request,
      ),
  },
  {
    method: "PATCH",
    path: "/_lab/regions/:slug",
    answer: (cloud, request) =>
      patch(
        cloud.regions.find(({ slug }) => slug === request.params.slug),
        regionPatch,
        request,
      ),
  },
  { method: "DELETE", path: "/_lab/images/:slug", answer: removeImage },
  { method: "PATCH", path: "/_lab/account", answer: (cloud, request) => patch(cloud.account, accountPatch, request) },
  {
    method: "PATCH",
    path: "/_lab/timings",
    answer: (cloud, request) => {
      cloud.timings = { ...cloud.timings, ...(bodyAs(timingsPatch, request) as object) };
      return { status: 200, body: cloud.timings };
    },
  },
];
