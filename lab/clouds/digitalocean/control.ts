import { type Answer, bodyAs, type Route } from "./api";
import type { Cloud } from "./cloud";
import { faultSchema } from "./faults";

// Tests rely on these fields: those of the API, and some that only the provider knows.
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
  }));
  return { status: 200, body: { servers: await Promise.all(told) } };
}

/** Routes below /_lab, with which tests control the cloud. They need no token. */
export const controlRoutes: readonly Route[] = [
  { method: "GET", path: "/_lab/requests", answer: ({ requests }) => ({ status: 200, body: { requests } }) },
  { method: "GET", path: "/_lab/servers", answer: servers },
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
];
