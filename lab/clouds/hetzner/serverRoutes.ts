import { z } from "zod";
import { type Answer, ApiError, ok, type Route } from "../api/http";
import { notUnique } from "./apiError";
import { type Cloud, found } from "./cloud";
import { listing } from "./listing";
import { HOST_NAME, orderServer } from "./order";
import type { Server } from "./resources";
import { look, refuseBusy, serverJson } from "./server";
import { serverActionRoutes } from "./serverActions";

const updateSchema = z.object({ name: z.string().regex(HOST_NAME, "is not a valid hostname") });

export function serverRoutes(cloud: Cloud): Route[] {
  const one = (id: string | undefined) => found(cloud.servers, id, "server");
  return [
    ["GET", "/servers", ({ query }) => list(cloud, query)],
    ["POST", "/servers", ({ body }) => orderServer(cloud, body)],
    [
      "GET",
      "/servers/:id",
      async ({ params }) => {
        await look(cloud, one(params.id));
        return ok({ server: serverJson(cloud, one(params.id)) });
      },
    ],
    ["PUT", "/servers/:id", ({ params, body }) => update(cloud, one(params.id), body)],
    ["DELETE", "/servers/:id", ({ params }) => remove(cloud, one(params.id))],
    ...serverActionRoutes(cloud),
  ];
}

async function list(cloud: Cloud, query: URLSearchParams): Promise<Answer> {
  await Promise.all([...cloud.servers.values()].map((server) => look(cloud, server)));
  const servers = [...cloud.servers.values()];
  return listing(
    "servers",
    servers.map((server) => serverJson(cloud, server)),
    query,
  );
}

function update(cloud: Cloud, server: Server, body: unknown): Answer {
  const given = updateSchema.parse(body);
  const isTaken = [...cloud.servers.values()].some(({ id, name }) => name === given.name && id !== server.id);
  if (isTaken) throw notUnique("server name");
  server.name = given.name;
  return ok({ server: serverJson(cloud, server) });
}

function remove(cloud: Cloud, server: Server): Answer {
  if (server.protection.delete) throw new ApiError(423, "protected", "server deletion is protected");
  refuseBusy(cloud, server);
  const before = server.status;
  server.status = "deleting";
  const action = cloud.actions.start("delete_server", [{ id: server.id, type: "server" }], {
    work: () => cloud.room.remove(server.machine),
    onSuccess: () => forget(cloud, server),
    onError: () => {
      server.status = before;
    },
  });
  return ok({ action });
}

function forget(cloud: Cloud, server: Server): void {
  cloud.servers.delete(server.id);
  for (const firewall of cloud.firewalls.values()) {
    firewall.appliedTo = firewall.appliedTo.filter((target) => target.server.id !== server.id);
  }
}
