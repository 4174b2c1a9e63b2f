import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createHetzner, type Hetzner } from "../../../lab/clouds/hetzner";
import { linesOf } from "../fixture";
import { type CloudStack, cloudStack } from "./cloudStack";
import { emptyRoom } from "./emptyRoom";

// The real engine and the plugin against the API on loopback, with its faults.

const [TOKEN, READ_ONLY] = ["w".repeat(64), "r".repeat(64)];
let hetzner: Hetzner;
let cloud: CloudStack;

beforeAll(async () => {
  hetzner = createHetzner({ room: emptyRoom(), tokens: { [TOKEN]: "write", [READ_ONLY]: "read" } });
  cloud = await cloudStack({
    handler: hetzner.handler,
    endpoint: (url) => ({ "hcloud:endpoint": `${url}/v1` }),
    host: { provider: "hetzner", token: "set below", locations: ["fsn1", "nbg1"] },
    token: TOKEN,
  });
}, 900_000);

afterEach(() => hetzner.cloud.faults.clear());
afterAll(() => cloud?.close());

const servers = () => [...hetzner.cloud.servers.values()];

/** Takes away all that the stack made, and its state. */
async function clean(): Promise<void> {
  hetzner.cloud.faults.clear();
  await cloud.configure({ lifecycle: "retiring" });
  const up = await cloud.stack.up(["--skip-preview"]);
  expect(up.exitCode, up.output).toBe(0);
  const { exitCode, output } = await cloud.stack.destroy(["--skip-preview"]);
  expect(exitCode, output).toBe(0);
  expect([servers(), [...hetzner.cloud.firewalls], [...hetzner.cloud.sshKeys]]).toEqual([[], [], []]);
  await cloud.configure({});
}

test("a token that can only read is refused before anything is made", async () => {
  await cloud.stack.pulumi(["config", "set", "--secret", "--path", "pillar-host:host.token"], { input: READ_ONLY });
  const { output, exitCode } = await cloud.stack.preview();
  await cloud.configure({});
  expect(exitCode).not.toBe(0);
  expect(linesOf(output)).toContain(
    "error: The host of stack prod cannot be had from Hetzner; nothing was changed:\n" +
      "pillar-host:host.token: Hetzner answered 403 (",
  );
  expect(output).not.toMatch(/rrrr| at \//);
  expect(hetzner.requests.filter(({ status, method }) => method !== "GET" && status < 400)).toEqual([]);
});

describe("no room for the server that was chosen", () => {
  test("the run fails and has said what comes next; the next one does it", async () => {
    hetzner.cloud.faults.add({ kind: "noCapacity", location: "fsn1", shows: "create" });
    const first = await cloud.upToServer();
    expect(first.exitCode).not.toBe(0);
    expect(first.output).toContain("the next pulumi up tries cpx32 in nbg1");
    expect(await cloud.record()).toMatchObject({ attempts: [], pending: { plan: "cpx32", location: "fsn1" } });
    expect(servers()).toEqual([]);

    const second = await cloud.upToServer();
    expect(second.exitCode, second.output).toBe(0);
    expect(second.output).toMatch(/tried in vain: cpx32 in fsn1 at 20/);
    expect(await cloud.lab("GET", "/servers")).toMatchObject([{ location: "nbg1" }]);
    expect(await cloud.record()).toBeUndefined();
    await clean();
  });

  test("what a creation that failed half way left is replaced, and the one that comes is the only one", async () => {
    hetzner.cloud.faults.add({ kind: "noCapacity", location: "fsn1", shows: "action" });
    const first = await cloud.upToServer();
    expect(first.exitCode).not.toBe(0);

    const second = await cloud.upToServer();
    expect(second.exitCode, second.output).toBe(0);
    expect(await cloud.lab("GET", "/servers")).toMatchObject([
      { location: "nbg1", protection: { delete: true, rebuild: true } },
    ]);
    expect(servers().length).toBe(1);
    const third = await cloud.upToServer();
    expect(third.output).toMatch(/\d+ unchanged/);
    const destroy = await cloud.stack.destroy();
    expect(destroy.output).toContain("because it is protected");
    await clean();
  });

  test("nowhere: the error lists what was tried, and the next run begins anew", async () => {
    await cloud.configure({}, { plan: "cpx32" });
    hetzner.cloud.faults.add({ kind: "noCapacity", shows: "create" });
    await cloud.upToServer();
    await cloud.upToServer();
    const { output, exitCode } = await cloud.upToServer();
    expect(exitCode).not.toBe(0);
    expect(linesOf(output)).toMatch(
      /every plan and location that meets the minimums was tried, and the provider had no room for a server:\ncpx32 in fsn1 at .*\ncpx32 in nbg1 at .*\nAdd locations/,
    );
    expect(await cloud.record()).toBeUndefined();
    await clean();
  });
});

test("an engine that is killed while the server is made: one server, taken over, then protected", async () => {
  hetzner.cloud.faults.add({ kind: "slowAction", command: "create_server", seconds: 5 });
  await cloud.killUpToServer(() => servers().length > 0);
  hetzner.cloud.faults.clear();
  const before = servers().map(({ id }) => id);

  const second = await cloud.upToServer();
  expect(second.exitCode, second.output).toBe(0);
  expect(second.output).toContain(`the creation of server ${before[0]} was cut off: it is taken over`);
  const third = await cloud.upToServer();
  expect(third.exitCode, third.output).toBe(0);
  expect(servers().map(({ id, protection }) => [id, protection])).toEqual([
    [before[0], { delete: true, rebuild: true }],
  ]);
  await clean();
});

test("a server of somebody else's making is adopted as it is, then retired", async () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const order = {
    name: "old-pillar",
    server_type: "cpx32",
    image: "debian-12",
    location: "hel1",
    labels: { mine: "yes" },
  };
  const response = await fetch(`${cloud.url}/v1/servers`, { method: "POST", headers, body: JSON.stringify(order) });
  const { server } = (await response.json()) as { server: { id: number } };
  const facts = () => servers().map(({ id, name, labels, protection }) => ({ id, name, labels, protection }));
  const before = structuredClone(facts());
  const writes = () => hetzner.requests.filter(({ method }) => method !== "GET").length;
  const asked = writes();

  await cloud.configure({ lifecycle: "adopted" }, { importId: server.id });
  const up = await cloud.stack.up(["--skip-preview"]);
  expect(up.exitCode, up.output).toBe(0);
  expect((await cloud.stack.up(["--skip-preview"])).output).toMatch(/\d+ unchanged/);
  expect([facts(), writes()]).toEqual([before, asked]);
  expect((await cloud.stack.destroy()).output).toContain("because it is protected");

  await cloud.configure({ lifecycle: "retiring" }, { importId: server.id });
  expect((await cloud.stack.up(["--skip-preview"])).exitCode).toBe(0);
  expect((await cloud.stack.destroy(["--skip-preview"])).exitCode).toBe(0);
  expect(servers()).toEqual([]);
});
