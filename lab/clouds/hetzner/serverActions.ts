import { z } from "zod";
import { created, type Route } from "../api/http";
import type { Course } from "./actions";
import { invalidInput, notFound } from "./apiError";
import { type Cloud, found } from "./cloud";
import { listing } from "./listing";
import type { Server } from "./resources";
import { refuseBusy } from "./server";

const BACKUP_WINDOW = "22-02";

type Begin = (cloud: Cloud, server: Server, body: unknown) => readonly [command: string, course: Course];

const begins: Readonly<Record<string, Begin>> = {
  poweroff: ({ room }, server) => {
    const before = server.status;
    server.status = "stopping";
    return [
      "stop_server",
      {
        work: async () => {
          if (!server.dead) await room.powerOff(server.machine);
        },
        onSuccess: () => {
          server.status = "off";
          server.seenUp = false;
        },
        onError: () => {
          server.status = before;
        },
      },
    ];
  },
  change_protection: (_, server, body) => {
    const schema = z.object({ delete: z.boolean().optional(), rebuild: z.boolean().optional() });
    const given = schema.parse(body);
    const wanted = {
      delete: given.delete ?? server.protection.delete,
      rebuild: given.rebuild ?? server.protection.rebuild,
    };
    if (wanted.delete !== wanted.rebuild) {
      throw invalidInput("delete", "delete and rebuild protection must be the same");
    }
    return [
      "change_protection",
      {
        onSuccess: () => {
          server.protection = wanted;
        },
      },
    ];
  },
  enable_backup: (_, server) => [
    "enable_backup",
    {
      onSuccess: () => {
        server.backupWindow = BACKUP_WINDOW;
      },
    },
  ],
  disable_backup: (_, server) => [
    "disable_backup",
    {
      onSuccess: () => {
        server.backupWindow = null;
      },
    },
  ],
};

export function serverActionRoutes(cloud: Cloud): Route[] {
  const one = (id: string | undefined) => found(cloud.servers, id, "server");
  return [
    [
      "GET",
      "/servers/:id/actions",
      ({ params, query }) => listing("actions", cloud.actions.list({ id: one(params.id).id, type: "server" }), query),
    ],
    [
      "POST",
      "/servers/:id/actions/:command",
      ({ params, body }) => {
        const server = one(params.id);
        const begin = begins[params.command ?? ""];
        if (!begin) throw notFound("action");
        refuseBusy(cloud, server);
        const [command, course] = begin(cloud, server, body);
        return created({ action: cloud.actions.start(command, [{ id: server.id, type: "server" }], course) });
      },
    ],
  ];
}
