import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createHetzner, type Hetzner } from "../../../lab/clouds/hetzner";
import { linesOf } from "../fixture";
import { type CloudStack, cloudStack } from "./cloudStack";
import { emptyRoom } from "./emptyRoom";
import { type OrderFaults, passing, refused } from "./orderFaults";
import { vanish } from "./vanish";

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

const goneAdvice = "should this run end in an error about a server that is not there: pulumi refresh, then pulumi up";
const servers = () => [...hetzner.cloud.servers.values()];

/** A new stack at an empty provider, where nothing is proved by taking the old one down (hetznerServer does that). */
async function anew(): Promise<void> {
  const { faults, servers: all, firewalls, sshKeys, primaryIps } = hetzner.cloud;
  for (const each of [faults, all, firewalls, sshKeys, primaryIps]) each.clear();
  await cloud.forget();
}

/** Retires the stack, and asserts that `destroy` leaves nothing. */
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
    expect(await cloud.record()).toMatchObject({ attempts: [], ordered: expect.any(String) });
    await anew();
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

  test("a creation that does not end is given up in time; deleted in the console, the run says what to type", async () => {
    await cloud.configure({}, { startTimeout: "3s" });
    hetzner.cloud.faults.add({ kind: "slowAction", command: "create_server", seconds: 60 });
    const first = await cloud.upToServer();
    expect(first.exitCode).not.toBe(0);
    expect(first.output).toContain("context deadline exceeded");
    expect(servers().length).toBe(1);

    hetzner.cloud.faults.clear();
    vanish(hetzner);
    await cloud.configure({});
    const second = await cloud.upToServer();
    expect(second.exitCode).not.toBe(0);
    expect(second.output).toContain(goneAdvice);
    await cloud.refresh();
    const third = await cloud.upToServer();
    expect(third.exitCode, third.output).toBe(0);
    expect(servers().length).toBe(1);
    await anew();
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

describe("faults of the API in the plugin's own calls", () => {
  const faults: OrderFaults = {
    cloud: () => cloud,
    path: "/servers",
    counts: async () => [servers().length, hetzner.cloud.firewalls.size, hetzner.cloud.sshKeys.size],
    conflict: { code: "uniqueness_error" },
  };

  test("401, 403, 409, 422 and 503: each ends the run in the provider's words, and makes no server", () =>
    refused(faults));

  test("429 and 502 pass; an answer to the order that is lost: one server, taken over by the next run", async () => {
    await passing(faults);
    hetzner.cloud.faults.add({ kind: "cutAnswer", method: "POST", path: "/servers", done: true, times: 1 });
    const first = await cloud.upToServer();
    expect(first.exitCode, first.output).not.toBe(0);
    const orders = hetzner.requests.filter(({ method, path }) => method === "POST" && path === "/v1/servers");
    expect(orders.slice(-3).map(({ status }) => status)).toEqual([429, 502, 0]);
    const made = servers().map(({ id }) => id);
    expect(made.length).toBe(1);
    const second = await cloud.upToServer();
    expect(second.exitCode, second.output).toBe(0);
    expect(servers().map(({ id }) => id)).toEqual(made);
    expect((await cloud.upToServer()).exitCode).toBe(0);
    expect(servers()[0]?.protection).toEqual({ delete: true, rebuild: true });
  });

  test("a server that never boots: told while it is waited for, then what to look at and what to type", async () => {
    await cloud.configure({}, { startTimeout: "2s" });
    const { output, exitCode } = await cloud.upToServer(["--target", "**::first-contact"]);
    const [server] = servers();
    expect(exitCode).not.toBe(0);
    const name = `server pillar-anvil-prod (${server?.id})`;
    expect(output).toContain(`waiting up to 2 s for ${name} to boot`);
    expect(output).toContain(`error: ${name} at Hetzner, 192.0.2.`);
    expect(output).toMatch(/ {2}found: connect .*, for \d+ s \(pillar-host:host\.startTimeout\)\n/);
    expect(linesOf(output)).toContain(
      `Is this machine's address among pillar-host:host.sshFrom (198.51.100.7/32)? See it with: curl -4 https://ifconfig.co
Look at its screen: https://console.hetzner.cloud, in its project: server ${server?.id}, Console (>_)
When it lets in: pulumi up goes on from here
To throw it away and begin anew:
pulumi config set pillar-host:lifecycle retiring && pulumi up && pulumi destroy
pulumi config rm pillar-host:lifecycle && pulumi up
`,
    );
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
  await anew();
});

test("what an order left that failed after the engine was killed is removed, though the state does not know it", async () => {
  hetzner.cloud.faults.add({ kind: "slowAction", command: "create_server", seconds: 3, times: 1 });
  hetzner.cloud.faults.add({ kind: "noCapacity", location: "fsn1", shows: "action" });
  await cloud.killUpToServer(() => servers().length > 0);
  const before = servers().map(({ id }) => id);
  // Its actions get on when somebody looks.
  const shown = async () => (await fetch(`${cloud.url}/v1/servers/${before[0]}`, { headers })).json();
  const headers = { authorization: `Bearer ${TOKEN}` };
  await expect.poll(shown, { timeout: 20_000 }).toMatchObject({ server: { status: "off" } });
  const up = await cloud.upToServer();
  expect(up.exitCode, up.output).toBe(0);
  expect(up.output).toContain(`what that left is removed: server ${before[0]}`);
  expect(servers().map(({ place }) => place.name)).toEqual(["nbg1"]);
  await anew();
});

test("a server of somebody else's making is adopted as it is, and not given up while nobody else is known to produce", async () => {
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
  // Its actions get on when somebody looks.
  const shown = async () => (await fetch(`${cloud.url}/v1/servers/${server.id}`, { headers })).json();
  await expect.poll(shown, { timeout: 20_000 }).toMatchObject({ server: { status: "running" } });
  for (const one of servers()) one.protection = { delete: true, rebuild: true };
  const facts = () => servers().map(({ id, name, labels, protection }) => ({ id, name, labels, protection }));
  const before = structuredClone(facts());
  const writes = () => hetzner.requests.filter(({ method }) => method !== "GET").length;
  const asked = writes();

  await cloud.configure({ lifecycle: "adopted" }, { importId: server.id });
  // The server alone: nobody is there who could be logged in to.
  const adopting = ["--target", "**::adopted-server"];
  const up = await cloud.stack.up(adopting);
  expect(up.exitCode, up.output).toBe(0);
  expect((await cloud.stack.up(adopting)).output).toMatch(/\d+ unchanged/);
  expect([facts(), writes()]).toEqual([before, asked]);
  expect((await cloud.stack.destroy()).output).toContain("because it is protected");

  await cloud.configure({ lifecycle: "retiring" }, { importId: server.id });
  const refused = await cloud.stack.up();
  expect(refused.exitCode).not.toBe(0);
  expect(linesOf(refused.output)).toContain("- who produces after this host is not configured\n");
  expect((await cloud.stack.destroy()).output).toContain("because it is protected");
  expect([facts(), writes()]).toEqual([before, asked]);
});
