import { expect, test } from "vitest";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs";
import { expectSuccess, linesOf } from "../fixture";
import { cloudStage, destroyAll, keeper } from "./cloudStack";

keepEngineLogs();

// The real engine and the plugin against the API on loopback: the Droplet and all around it, and nothing that connects.

const stage = cloudStage("digitalocean", ["fra1", "ams3"]);
const { said, kept } = keeper();

test("a new stack's preview shows the plan, location and price", async () => {
  const output = await expectSuccess(kept(stage.stack.preview()));
  expect(linesOf(output)).toContain(
    "host: a server at DigitalOcean, s-4vcpu-8gb in fra1: 4 cores, 8 GB of memory, 160 GB of disk, 48.00 USD a month; image ubuntu-22.04\n",
  );
  expect(stage.left()).toEqual([0, 0, 0, 0]);
});

test("up creates one Droplet behind a firewall, and a second up changes nothing", async () => {
  await expectSuccess(kept(stage.upToServer()));
  expect(stage.servers()).toMatchObject([
    { name: "pillar-anvil-prod", location: "fra1", plan: "s-4vcpu-8gb", labels: { "pillar-host:prod:Anvil": "" } },
  ]);
  expect(stage.left()).toEqual([1, 1, 1, 1]);
  expect(await stage.record()).toEqual({ attempts: [], ordered: expect.any(String) });
  const again = await kept(stage.upToServer());
  expect(again.output).toMatch(/\d+ unchanged/);
  expect(again.output).not.toMatch(/created|updated|replaced|warning: (?!resource plugin)/);
});

test("another image, plan or location replaces nothing; destroy is refused before its first step", async () => {
  await stage.configure({}, { image: "debian-11", plan: "c-4", locations: ["lon1"] });
  const { output } = await kept(stage.stack.preview());
  expect(output).toMatch(/server \d+ was made as s-4vcpu-8gb in fra1 with ubuntu-22.04: another plan/);
  expect(output).not.toMatch(/replace|digitalocean:index\S+ \S+ update/);
  expect((await kept(stage.stack.destroy())).output).toContain("because it is protected");
  expect(stage.left()).toEqual([1, 1, 1, 1]);
});

test("the engine wrote and printed neither token nor keys", async () => {
  const all = (await stage.stack.written()) + said.join("");
  expect(all).not.toMatch(/dop_v1|PRIVATE KEY|ssh_deletekeys/);
  expect(all).toContain("pillar-anvil-prod");
});

test("destroy of a retiring stack leaves nothing in the cloud", () => destroyAll(stage));
