import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDigitalOcean, type DigitalOcean } from "../../../lab/clouds/digitalocean";
import { linesOf } from "../fixture";
import { type CloudStack, cloudStack } from "./cloudStack";
import { emptyRoom } from "./emptyRoom";

// The real engine and the plugin against the API on loopback: the Droplet and all around it, and nothing that connects.

const TOKEN = `dop_v1_${"0123456789abcdef".repeat(4)}`;
const timings = { create: 200, action: 100, delete: 100 };
let digitalocean: DigitalOcean;
let cloud: CloudStack;

interface Told {
  id: number;
  region: string;
  size: string;
  tags: string[];
  name: string;
}
const droplets = async () => (await cloud.lab<{ servers: Told[] }>("GET", "/servers")).servers;
const left = () =>
  [digitalocean.cloud.droplets, digitalocean.cloud.firewalls, digitalocean.cloud.keys, digitalocean.cloud.tags].map(
    (each) => [...each].length,
  );

beforeAll(async () => {
  // The waits of the plugin, which are as long as the official one's: an hour for a Droplet that never becomes active.
  process.env.PILLAR_LAB_DIGITALOCEAN_PACE = "0.02";
  digitalocean = createDigitalOcean({ room: emptyRoom(), tokens: { [TOKEN]: "write" }, timings });
  cloud = await cloudStack({
    handler: digitalocean.handler,
    endpoint: (url) => ({ "digitalocean:apiEndpoint": url }),
    host: { provider: "digitalocean", token: "set below", locations: ["fra1", "ams3"] },
    token: TOKEN,
  });
}, 900_000);

afterAll(() => cloud?.close());

const destroyAll = async () => {
  await cloud.configure({ lifecycle: "retiring" });
  const up = await cloud.stack.up(["--skip-preview"]);
  expect(up.exitCode, up.output).toBe(0);
  const { output, exitCode } = await cloud.stack.destroy(["--skip-preview"]);
  expect(exitCode, output).toBe(0);
  expect(left()).toEqual([0, 0, 0, 0]);
  await cloud.configure({});
};

describe("a new stack", () => {
  test("its preview says what, where and at what price", async () => {
    const { output, exitCode } = await cloud.stack.preview();
    expect(exitCode, output).toBe(0);
    expect(linesOf(output)).toContain(
      "host: a server at DigitalOcean, s-4vcpu-8gb in fra1: 4 cores, 8 GB of memory, 160 GB of disk, 48.00 USD a month; image ubuntu-22.04\n",
    );
    expect(output).not.toContain("dop_v1");
    expect(left()).toEqual([0, 0, 0, 0]);
  });

  test("up makes one Droplet, closed but for what it needs, and a second one nothing", async () => {
    const { output, exitCode } = await cloud.upToServer();
    expect(exitCode, output).toBe(0);
    expect(await droplets()).toMatchObject([
      { name: "pillar-anvil-prod", region: "fra1", size: "s-4vcpu-8gb", tags: ["pillar-host:prod:Anvil"] },
    ]);
    expect(left()).toEqual([1, 1, 1, 1]);
    expect(await cloud.record()).toBeUndefined();
    const again = await cloud.upToServer();
    expect(again.output).toMatch(/\d+ unchanged/);
    expect(again.output).not.toMatch(/created|updated|replaced|warning/);
  });

  test("neither token nor keys are in what the engine wrote or printed", async () => {
    const said = (await cloud.stack.written()) + (await cloud.stack.preview()).output;
    expect(said).not.toMatch(/dop_v1|PRIVATE KEY|ssh_deletekeys/);
    expect(said).toContain("pillar-anvil-prod");
  });

  test("another image, plan, location replace nothing; destroy ends before its first step", async () => {
    await cloud.configure({}, { image: "debian-11", plan: "c-4", locations: ["lon1"] });
    const { output } = await cloud.stack.preview();
    expect(output).toContain("host.plan is c-4, the server was made with s-4vcpu-8gb: nothing is changed");
    expect(output).not.toMatch(/replace|digitalocean:index\S+ \S+ update/);
    const destroy = await cloud.stack.destroy();
    expect(destroy.output).toContain("because it is protected");
    expect(left()).toEqual([1, 1, 1, 1]);
  });

  test("when it is retiring, destroy leaves nothing in the cloud", destroyAll);
});
