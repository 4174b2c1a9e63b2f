import { z } from "zod";
import type { Cloud } from "./cloud";
import { faultSchema } from "./faults";
import { created, noContent, ok, type Route } from "./http";

/** A request to the API, as tests see it: without its token and body. */
export interface Told {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** 0 if the connection was cut. */
  readonly status: number;
}

/** Returns the routes below /_lab, with which tests control the cloud. */
export function controlRoutes(cloud: Cloud, requests: Told[]): Route[] {
  return [
    ["GET", "/requests", () => ok(requests)],
    ["GET", "/servers", () => ok([...cloud.servers.values()].map((server) => told(cloud, server.id)))],
    ["POST", "/faults", ({ body }) => created({ id: cloud.faults.add(faultSchema.parse(body)) })],
    [
      "DELETE",
      "/faults",
      () => {
        cloud.faults.clear();
        return noContent;
      },
    ],
    [
      "DELETE",
      "/faults/:id",
      ({ params }) => {
        cloud.faults.clear(z.coerce.number().parse(params.id));
        return noContent;
      },
    ],
  ];
}

function told(cloud: Cloud, id: number): object {
  const server = cloud.servers.get(id);
  if (!server) return {};
  const { name, status, machine, address, labels, protection, dead } = server;
  return {
    id,
    name,
    status,
    machine,
    address,
    labels,
    protection,
    dead,
    location: server.place,
    serverType: server.plan.name,
    image: server.image.name,
  };
}
