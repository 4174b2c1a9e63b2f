import { describe, expect, test } from "vitest";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs";
import { linesOf } from "../fixture";
import { keeper } from "./cloudStack";
import { dropletStage } from "./dropletStage";

keepEngineLogs();

// The real engine and the plugin against the API on loopback: the Droplet and all around it, and nothing that connects.

const stage = dropletStage();
const { droplets, left, destroyAll } = stage;

const { said, kept } = keeper();

describe("a new stack", () => {
  test("its preview shows the plan, location and price", async () => {
    const { output, exitCode } = await kept(stage.cloud.stack.preview());
    expect(exitCode, output).toBe(0);
    expect(linesOf(output)).toContain(
      "host: a server at DigitalOcean, s-4vcpu-8gb in fra1: 4 cores, 8 GB of memory, 160 GB of disk, 48.00 USD a month; image ubuntu-22.04\n",
    );
    expect(output).not.toContain("dop_v1");
    expect(left()).toEqual([0, 0, 0, 0]);
  });

  test("up creates one Droplet behind a firewall, and a second up changes nothing", async () => {
    const { output, exitCode } = await kept(stage.cloud.upToServer());
    expect(exitCode, output).toBe(0);
    expect(droplets()).toMatchObject([
      { name: "pillar-anvil-prod", region: "fra1", size: "s-4vcpu-8gb", tags: ["pillar-host:prod:Anvil"] },
    ]);
    expect(left()).toEqual([1, 1, 1, 1]);
    expect(await stage.cloud.record()).toEqual({ attempts: [], ordered: expect.any(String) });
    const again = await kept(stage.cloud.upToServer());
    expect(again.output).toMatch(/\d+ unchanged/);
    expect(again.output).not.toMatch(/created|updated|replaced|warning: (?!resource plugin)/);
  });

  test("another image, plan or location replaces nothing; destroy is refused before its first step", async () => {
    await stage.cloud.configure({}, { image: "debian-11", plan: "c-4", locations: ["lon1"] });
    const { output } = await kept(stage.cloud.stack.preview());
    expect(output).toContain("host.plan is c-4, the server was made with s-4vcpu-8gb: nothing is changed");
    expect(output).not.toMatch(/replace|digitalocean:index\S+ \S+ update/);
    const destroy = await kept(stage.cloud.stack.destroy());
    expect(destroy.output).toContain("because it is protected");
    expect(left()).toEqual([1, 1, 1, 1]);
  });

  test("the engine wrote and printed neither token nor keys", async () => {
    const all = (await stage.cloud.stack.written()) + said.join("");
    expect(all).not.toMatch(/dop_v1|PRIVATE KEY|ssh_deletekeys/);
    expect(all).toContain("pillar-anvil-prod");
  });

  test("destroy of a retiring stack leaves nothing in the cloud", destroyAll);
});
