import { z } from "zod";
import { created, type Route } from "../api/http";
import { actionBody, start } from "./actions";
import { unprocessable } from "./answers";
import type { Action, Cloud, Droplet } from "./cloud";
import { policySchema } from "./dropletOrder";
import { find } from "./droplets";

const schema = z.object({
  type: z.string(),
  backup_policy: policySchema.optional(),
});
type Wanted = z.infer<typeof schema>;

type Act = (cloud: Cloud, droplet: Droplet, wanted: Wanted) => Action["effect"];

/** Effects of the actions at their end. An action that cannot run is refused at once. */
const acts: Record<string, Act> = {
  power_off: ({ room }, droplet) => {
    if (droplet.status === "off") throw unprocessable("Droplet is already powered off.");
    return async () => {
      await room.powerOff(droplet.machine);
      droplet.status = "off";
    };
  },
  enable_backups:
    (_, droplet, { backup_policy }) =>
    () => {
      droplet.features.add("backups");
      droplet.backupPolicy = backup_policy ?? { plan: "weekly" };
    },
  disable_backups: (_, droplet) => () => {
    droplet.features.delete("backups");
    droplet.backupPolicy = undefined;
  },
  change_backup_policy: (_, droplet, { backup_policy }) => {
    if (!droplet.features.has("backups")) throw unprocessable("Backups are not enabled for this Droplet.");
    return () => {
      droplet.backupPolicy = backup_policy;
    };
  },
};

export function dropletActionRoutes(cloud: Cloud): Route[] {
  return [
    [
      "POST",
      "/droplets/:id/actions",
      async (request) => {
        const droplet = await find(cloud, request);
        const wanted = schema.parse(request.body);
        const effect = acts[wanted.type]?.(cloud, droplet, wanted);
        if (!effect) throw unprocessable(`${wanted.type} is not a valid action.`);
        return created({ action: actionBody(start(cloud, droplet, wanted.type, effect)) });
      },
    ],
  ];
}
