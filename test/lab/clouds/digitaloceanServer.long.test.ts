import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import { startS3Double } from "../../core/store/s3Double.ts";
import { expectFailure, expectSuccess, linesOf } from "../fixture.ts";
import { adoptForeign, cloudStage, destroyAll, keeper, until } from "./cloudStack.ts";

keepEngineLogs();

// The real engine and the plugin against the API on loopback, with its faults: the Droplet, and nothing that connects.

const stage = cloudStage("digitalocean", ["fra1", "ams3"]);
const { said, kept } = keeper();
const foreign = { name: "old-pillar", size: "s-4vcpu-8gb", image: "debian-12-x64", region: "lon1" };
const orderTag = (server = stage.servers()[0]) =>
  Object.keys(server?.labels ?? {}).find((tag) => tag.startsWith("pillar-host-order:")) ?? "";
const orderOf = (server = stage.servers()[0]) => orderTag(server).split(":")[1];

test("up says plan and price, creates one Droplet behind a firewall, and a second up changes nothing", async () => {
  expect(linesOf(await expectSuccess(kept(stage.upToServer())))).toContain(
    "host: a server at DigitalOcean, s-4vcpu-8gb in fra1: 4 cores, 8 GB of memory, 160 GB of disk, 48.00 USD a month; image ubuntu-22.04\n",
  );
  expect(stage.servers()).toMatchObject([
    {
      name: "pillar-anvil-prod",
      location: "fra1",
      plan: "s-4vcpu-8gb",
      labels: { "pillar-host:prod:Anvil": "", [orderTag()]: "" },
    },
  ]);
  expect(stage.left()).toEqual([1, 1, 1, 2]);
  expect(await stage.record()).toEqual({
    attempts: [],
    sent: [{ number: expect.any(String), at: expect.any(String) }],
  });
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
  expect(stage.left()).toEqual([1, 1, 1, 2]);
});

test("the engine wrote and printed neither token nor keys", async () => {
  const all = (await stage.stack.written()) + said.join("");
  expect(all).not.toMatch(/dop_v1|PRIVATE KEY|ssh_deletekeys/);
  expect(all).toContain("pillar-anvil-prod");
});

test("without capacity, another machine's run tries the next location, and says why", async () => {
  await stage.anew();
  const bucket = await startS3Double("state");
  onTestFinished(() => bucket.close());
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "hunter2-of-the-bucket");
  const store = `s3://state?endpoint=${encodeURIComponent(bucket.endpoint)}&s3ForcePathStyle=true`;
  await stage.configure({ store });
  stage.cloud.account.faults.add({ kind: "noCapacity", location: "fra1" });
  await expectFailure(stage.upToServer());
  // This removes all data of this machine alone, as if another machine ran.
  await rm(join(stage.stack.dir, "data"), { recursive: true, force: true });
  const second = await expectSuccess(stage.upToServer());
  expect(second).toMatch(/sold out: s-4vcpu-8gb in fra1 at 20/);
  const [droplet] = stage.servers();
  expect(droplet?.location).toBe("ams3");
  const records = [...bucket.objects.keys()].filter((key) => key.includes("/newest/orders-prod-Anvil.json/")).sort();
  expect(JSON.parse(String(bucket.objects.get(records.at(-1) ?? "")?.body))).toEqual({
    attempts: [],
    sent: [
      { number: expect.any(String), at: expect.any(String) },
      { number: orderOf(droplet), at: expect.any(String) },
    ],
  });
  // A bucket that refuses ends a run before it orders.
  const asked = stage.cloud.requests.length;
  bucket.mood = "forbidden";
  const third = await expectFailure(stage.upToServer());
  expect(third).toContain("the bucket of the event log can't be read: s3://state/pillar-host/Anvil/");
  expect(stage.cloud.requests.length).toBe(asked);
  await stage.anew();
});

test("a creation that does not end times out, and the next run continues it", async () => {
  await stage.configure({}, { startTimeout: "2s", backups: true });
  stage.cloud.account.faults.add({ kind: "slowAction", command: "create" });
  const first = await expectFailure(stage.upToServer());
  expect(first).toMatch(/context deadline exceeded|timeout while waiting for state to become 'active'/);
  const [{ id } = { id: 0 }] = stage.servers();
  const second = await expectFailure(stage.upToServer());
  expect(linesOf(second)).toContain(
    `server ${id} at DigitalOcean has no address yet: it is still being created\nOpen its console: https://cloud.digitalocean.com/droplets/${id}/access, Recovery Console\nIn some minutes: pulumi up -s prod\n`,
  );
  expect(second).not.toContain("error serializing");
  stage.cloud.account.faults.clear();
  await expectSuccess(stage.upToServer());
  // Daily ones would cost more than the preview says.
  expect(stage.servers()).toMatchObject([{ id, backups: "weekly" }]);
});

test("reports a Droplet deleted in the console; its stack can still be destroyed", async () => {
  stage.cloud.account.servers.clear();
  const output = await expectFailure(stage.upToServer());
  expect(output).toContain("is no longer at DigitalOcean, or lost its labels there");
  expect((await stage.record())?.pending).toBeUndefined();
  await stage.configure({ lifecycle: "retiring" });
  expect((await stage.stack.preview()).output).toContain(
    "there is no server of this stack at DigitalOcean. If the state still has one: pulumi refresh -s prod, then pulumi destroy -s prod",
  );
  await stage.refresh();
  await expectSuccess(stage.stack.destroy(["--skip-preview"]));
  expect(stage.left()).toEqual([0, 0, 0, 0]);
});

test("a lost answer to the order makes two Droplets: both are named, and neither is touched", async () => {
  await stage.configure({});
  stage.cloud.account.faults.add({ kind: "cutAnswer", method: "POST", path: "/droplets", times: 1 });
  const output = linesOf(await expectFailure(stage.upToServer()));
  const [first, second] = stage.servers();
  expect(orderOf(first)).toBe(orderOf(second));
  expect(output).toMatch(
    new RegExp(
      `server ${second?.id} was ordered at DigitalOcean, and another server has this stack's labels: nothing is deployed yet\nfound: ${first?.id} pillar-anvil-prod, [0-9.]+, of this stack's order at 20`,
    ),
  );
  expect(await expectFailure(stage.upToServer())).toContain("more than one server at DigitalOcean carries the labels");
  expect(stage.servers()).toHaveLength(2);
  stage.cloud.account.servers.delete(first?.id ?? 0);
  await expectSuccess(stage.upToServer());
  await destroyAll(stage);
});

test("a Droplet that gets the stack's tag while one is ordered is named, and never touched", async () => {
  await stage.anew();
  const slow = stage.cloud.account.faults.add({ kind: "slowAction", command: "create" });
  const running = stage.upToServer();
  await until(() => stage.servers().length > 0);
  await stage.cloud.ask("POST", "/droplets", {
    ...foreign,
    tags: ["pillar-host:prod:Anvil", "pillar-host-order:ffff"],
  });
  stage.cloud.account.faults.clear(slow);
  const output = await expectFailure(running);
  const [, other] = stage.servers();
  expect(output).toContain(`found: ${other?.id} old-pillar, `);
  expect(output).toContain("of an order that is not known here");
  expect(stage.servers()).toHaveLength(2);
  await stage.anew();
});

test("adopts a Droplet that somebody else created, unchanged", () =>
  adoptForeign(stage, "/droplets", { ...foreign, tags: ["mine"] }));
