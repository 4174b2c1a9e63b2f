import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { startS3Double } from "../../core/store/s3Double";
import { linesOf } from "../fixture";
import { dropletStage } from "./dropletStage";

// The real engine and the plugin against the API on loopback, with its faults.

const stage = dropletStage();
const { droplets, left, anew } = stage;
afterEach(() => stage.digitalocean.cloud.faults.clear());

describe("failures at DigitalOcean", () => {
  test("without capacity, another machine's run tries the next location, and says why", async () => {
    const bucket = await startS3Double("state");
    onTestFinished(() => bucket.close());
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "hunter2-of-the-bucket");
    const store = `s3://state?endpoint=${encodeURIComponent(bucket.endpoint)}&s3ForcePathStyle=true`;
    await stage.cloud.configure({ store });
    stage.digitalocean.cloud.faults.add({ kind: "noCapacity", location: "fra1" });
    const first = await stage.cloud.upToServer();
    expect(first.exitCode).not.toBe(0);
    // This removes all data of this machine alone, as if another machine ran.
    await rm(join(stage.cloud.stack.dir, "data"), { recursive: true, force: true });
    const second = await stage.cloud.upToServer();
    expect(second.exitCode, second.output).toBe(0);
    expect(second.output).toMatch(/sold out: s-4vcpu-8gb in fra1 at 20/);
    expect(droplets().map(({ region }) => region)).toEqual(["ams3"]);
    const records = [...bucket.objects.keys()].filter((key) => key.includes("/newest/orders-prod-Anvil.json/")).sort();
    const [{ id } = { id: 0 }] = droplets();
    expect(JSON.parse(String(bucket.objects.get(records.at(-1) ?? "")?.body))).toEqual({
      attempts: [],
      ordered: `${id}`,
    });
    // A bucket that refuses ends a run before it orders.
    const asked = () => stage.digitalocean.requests.length;
    const before = asked();
    bucket.mood = "forbidden";
    const third = await stage.cloud.upToServer();
    expect(third.exitCode).not.toBe(0);
    expect(third.output).toContain("the bucket of the event log can't be read: s3://state/pillar-host/Anvil/");
    expect(asked()).toBe(before);
    await anew();
  });

  test("a creation that does not end times out, and the next run continues it", async () => {
    await stage.cloud.configure({}, { startTimeout: "2s" });
    stage.digitalocean.cloud.faults.add({ kind: "slowAction", command: "create" });
    const first = await stage.cloud.upToServer();
    expect(first.exitCode).not.toBe(0);
    expect(first.output).toMatch(/context deadline exceeded|timeout while waiting for state to become 'active'/);
    const [{ id } = { id: 0 }] = droplets();
    const second = await stage.cloud.upToServer();
    expect(second.exitCode).not.toBe(0);
    expect(linesOf(second.output)).toContain(
      `server ${id} at DigitalOcean has no address yet: it is still being created\nOpen its console: https://cloud.digitalocean.com/droplets/${id}/access, Recovery Console\nIn some minutes: pulumi up -s prod\n`,
    );
    expect(second.output).not.toContain("error serializing");
    stage.digitalocean.cloud.faults.clear();
    const third = await stage.cloud.upToServer();
    expect(third.exitCode, third.output).toBe(0);
    expect(droplets().map((each) => each.id)).toEqual([id]);
  });

  test("reports a Droplet deleted in the console; its stack can still be destroyed", async () => {
    const [{ id } = { id: 0 }] = droplets();
    stage.digitalocean.cloud.droplets.clear();
    const { output, exitCode } = await stage.cloud.upToServer();
    expect(exitCode).not.toBe(0);
    expect(linesOf(output)).toContain(
      `server ${id}, this stack's host, is no longer at DigitalOcean, or lost its labels there\nIf the server is gone, create another one with: pulumi refresh -s prod && pulumi up -s prod\n`,
    );
    expect((await stage.cloud.record())?.pending).toBeUndefined();
    await stage.cloud.configure({ lifecycle: "retiring" });
    expect((await stage.cloud.stack.preview()).output).toContain(
      "there is no server of this stack at DigitalOcean. If the state still has one: pulumi refresh -s prod, then pulumi destroy -s prod",
    );
    await stage.cloud.refresh();
    const destroy = await stage.cloud.stack.destroy(["--skip-preview"]);
    expect(destroy.exitCode, destroy.output).toBe(0);
    expect(left()).toEqual([0, 0, 0, 0]);
    await stage.cloud.configure({});
  });
});

test("adopts a Droplet that somebody else created, unchanged", async () => {
  const headers = { authorization: `Bearer ${stage.token}`, "content-type": "application/json" };
  const order = { name: "old-pillar", size: "s-4vcpu-8gb", image: "debian-12-x64", region: "lon1", tags: ["mine"] };
  const response = await fetch(`${stage.cloud.url}/v2/droplets`, {
    method: "POST",
    headers,
    body: JSON.stringify(order),
  });
  const { droplet } = (await response.json()) as { droplet: { id: number } };
  const shown = async () =>
    (await fetch(`${stage.cloud.url}/v2/droplets/${droplet.id}`, { headers })).json() as Promise<{
      droplet: { status: string };
    }>;
  await expect.poll(async () => (await shown()).droplet.status).toBe("active");
  const facts = () => [droplets(), left()];
  const before = structuredClone(facts());
  const writes = () => stage.digitalocean.requests.filter(({ method }) => method !== "GET").length;
  const asked = writes();

  await stage.cloud.configure({ lifecycle: "adopted" }, { importId: droplet.id });
  // The server alone: nobody is there who could be logged in to.
  const adopting = ["--target", "**::host", "--target", "**::adopted-server"];
  const up = await stage.cloud.stack.up(adopting);
  expect(up.exitCode, up.output).toBe(0);
  expect((await stage.cloud.stack.up(adopting)).output).toMatch(/\d+ unchanged/);
  expect([facts(), writes()]).toEqual([before, asked]);
  expect((await stage.cloud.stack.destroy()).output).toContain("because it is protected");
});
