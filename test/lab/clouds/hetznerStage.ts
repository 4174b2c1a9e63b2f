import { afterAll, beforeAll } from "vitest";
import { createHetzner, type Hetzner } from "../../../lab/clouds/hetzner";
import type { StackFile } from "../../../lab/stack/stack";
import { type CloudStack, cloudStack } from "./cloudStack";
import { emptyRoom } from "./emptyRoom";

export const [TOKEN] = ["w".repeat(64)];

/** Hetzner's API on loopback without machines, and a stack that has its host there. */
export interface HetznerStage {
  readonly hetzner: Hetzner;
  readonly cloud: CloudStack;
  servers(): Server[];
  /** Creates a new stack at an empty provider, without a destroy of the old one (hetznerServer tests that). */
  anew(): Promise<void>;
}

type Server = Hetzner["cloud"]["servers"] extends Map<unknown, infer S> ? S : never;

/** Sets the stage before the tests of a file, and takes it down after them. */
export function hetznerStage(host: StackFile = { locations: ["fsn1", "nbg1"] }): HetznerStage {
  const made: { hetzner?: Hetzner; cloud?: CloudStack } = {};
  const stage = Object.assign(made, {
    servers: () => [...here.hetzner.cloud.servers.values()],
    anew: async () => {
      const { faults, servers: all, firewalls, sshKeys } = here.hetzner.cloud;
      for (const each of [faults, all, firewalls, sshKeys]) each.clear();
      await here.cloud.forget();
    },
  });
  const here = stage as HetznerStage;
  beforeAll(async () => {
    made.hetzner = createHetzner({ room: emptyRoom(), tokens: { [TOKEN]: "write" } });
    made.cloud = await cloudStack({
      handler: made.hetzner.handler,
      endpoint: (url) => ({ "hcloud:endpoint": `${url}/v1` }),
      host: { provider: "hetzner", token: "set below", ...host },
      token: TOKEN,
    });
  }, 900_000);
  afterAll(() => made.cloud?.close());
  return here;
}
