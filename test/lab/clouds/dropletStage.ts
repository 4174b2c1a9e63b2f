import { afterAll, beforeAll, expect } from "vitest";
import { createDigitalOcean, type DigitalOcean } from "../../../lab/clouds/digitalocean";
import type { Droplet } from "../../../lab/clouds/digitalocean/cloud";
import { type CloudStack, cloudStack } from "./cloudStack";
import { emptyRoom } from "./emptyRoom";

const token = `dop_v1_${"0123456789abcdef".repeat(4)}`;
const timings = { create: 200, action: 100, delete: 100 };

/** DigitalOcean's API on loopback without machines, and a stack that has its host there. */
export interface DropletStage {
  readonly digitalocean: DigitalOcean;
  readonly cloud: CloudStack;
  readonly token: string;
  droplets(): (Omit<Droplet, "tags"> & { readonly tags: readonly string[] })[];
  /** Counts Droplets, firewalls, keys and tags. */
  left(): number[];
  /** Creates a new stack at an empty provider, without a destroy of the old one (digitaloceanServer tests that). */
  anew(): Promise<void>;
  /** Heals the faults, retires the stack, and asserts that `destroy` leaves nothing. */
  destroyAll(): Promise<void>;
}

/** Sets the stage before the tests of a file, and takes it down after them. */
export function dropletStage(): DropletStage {
  const made: { digitalocean?: DigitalOcean; cloud?: CloudStack } = {};
  const stage = Object.assign(made, {
    token,
    droplets: () =>
      [...here.digitalocean.cloud.droplets.values()].map(({ tags, ...droplet }) => ({ ...droplet, tags: [...tags] })),
    left: () => {
      const { droplets, firewalls, keys, tags } = here.digitalocean.cloud;
      return [droplets, firewalls, keys, tags].map((each) => [...each].length);
    },
    anew: async () => {
      const { droplets, faults, firewalls, keys, tags } = here.digitalocean.cloud;
      for (const each of [droplets, faults, firewalls, keys, tags]) each.clear();
      await here.cloud.forget();
    },
    destroyAll: async () => {
      here.digitalocean.cloud.faults.clear();
      await here.cloud.configure({ lifecycle: "retiring" });
      const up = await here.cloud.stack.up();
      expect(up.exitCode, up.output).toBe(0);
      const { output, exitCode } = await here.cloud.stack.destroy(["--skip-preview"]);
      expect(exitCode, output).toBe(0);
      expect(here.left()).toEqual([0, 0, 0, 0]);
      await here.cloud.configure({});
    },
  });
  const here = stage as DropletStage;
  beforeAll(async () => {
    // The waits of the plugin, which are as long as the official one's: an hour for a Droplet that never becomes active.
    process.env.PILLAR_LAB_DIGITALOCEAN_PACE = "0.02";
    made.digitalocean = createDigitalOcean({ room: emptyRoom(), tokens: { [token]: "write" }, timings });
    made.cloud = await cloudStack({
      handler: made.digitalocean.handler,
      endpoint: (url) => ({ "digitalocean:apiEndpoint": url }),
      host: { provider: "digitalocean", token: "set below", locations: ["fra1", "ams3"] },
      token,
    });
  }, 900_000);
  afterAll(() => made.cloud?.close());
  return here;
}
