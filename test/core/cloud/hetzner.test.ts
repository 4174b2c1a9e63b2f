import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Cloud } from "../../../core/cloud/cloud";
import { createHetzner, createHetznerLabels } from "../../../core/cloud/hetzner";
import type { CloudError } from "../../../core/cloud/http";
import { createHetzner as createDouble, type Hetzner } from "../../../lab/clouds/hetzner";
import { createKeyPair } from "../../../providers/hostKey";
import { emptyRoom } from "../../lab/clouds/emptyRoom";

const [WRITES, READS] = ["w".repeat(64), "r".repeat(64)];
const owner = { stack: "prod", pillar: "Anvil" };
let double: Hetzner;
let server: Server;
let url: string;
let cloud: Cloud;

beforeEach(async () => {
  double = createDouble({ room: emptyRoom(), tokens: { [WRITES]: "write", [READS]: "read" }, actionSeconds: 0 });
  server = createServer(double.handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  cloud = withToken(WRITES);
});

afterEach(() => server.close());

const withToken = (token: string) => createHetzner({ token, endpoint: url, sleep: async () => undefined });

/** Sends a request as the plugin does. */
async function post<T>(path: string, body: object): Promise<T> {
  const headers = { authorization: `Bearer ${WRITES}` };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return (await response.json()) as T;
}

const order = (name: string, labels: object) =>
  post<{ server: { id: number } }>("/servers", {
    name,
    labels,
    server_type: "cpx32",
    image: "ubuntu-22.04",
    location: "fsn1",
  });

test("lists every plan in every location, with price, address and availability", async () => {
  const offers = await cloud.readOffers(false);
  expect(offers.find(({ plan, location }) => plan === "cpx32" && location === "fsn1")).toEqual({
    plan: "cpx32",
    location: "fsn1",
    cores: 4,
    memoryGb: 8,
    diskGb: 160,
    monthly: 41.04,
    currency: "EUR",
    isAvailable: true,
  });
  const dear = await cloud.readOffers(true);
  expect(dear.find(({ plan, location }) => plan === "cpx32" && location === "fsn1")?.monthly).toBe(49.13);
  expect(offers.find(({ plan }) => plan === "cx33")?.isAvailable).toBe(false);
  expect(offers.filter(({ plan }) => plan.startsWith("cax"))).toEqual([]);
});

test("lists the images for x86 only", async () => {
  const images = await cloud.readImages();
  expect(images).toContain("ubuntu-22.04");
  expect(new Set(images).size).toBe(images.length);
});

test("finds a stack's server by its labels, and no other stack's", async () => {
  const { server: ours } = await order("pillar-anvil-prod", createHetznerLabels(owner));
  await order("other", createHetznerLabels({ ...owner, stack: "prod-2" }));
  await order("unlabelled", {});
  const { servers } = await cloud.readInventory(owner, undefined);
  expect(servers).toEqual([
    {
      id: String(ours.id),
      name: "pillar-anvil-prod",
      plan: "cpx32",
      location: "fsn1",
      image: "ubuntu-22.04",
      address: "192.0.2.1",
      isProtected: false,
      failure: undefined,
    },
  ]);
  expect(await cloud.readServer(String(ours.id))).toEqual(servers[0]);
  expect(await cloud.readServer("7")).toBeUndefined();
});

test("reads a list page by page", async () => {
  for (let n = 0; n < 60; n += 1) await post("/firewalls", { name: `other-${n}` });
  await post("/firewalls", { name: "ours", labels: createHetznerLabels(owner) });
  expect((await cloud.readInventory(owner, undefined)).firewall).toMatch(/^\d+$/);
});

test("distinguishes a foreign copy of the public key from the stack's own key", async () => {
  const { publicKey } = createKeyPair();
  const { ssh_key } = await post<{ ssh_key: { id: number } }>("/ssh_keys", {
    name: "laptop",
    public_key: `${publicKey} me@laptop`,
  });
  expect(await cloud.readInventory(owner, publicKey)).toMatchObject({
    sshKey: undefined,
    foreignKey: String(ssh_key.id),
  });
  expect((await cloud.readInventory(owner, createKeyPair().publicKey)).foreignKey).toBeUndefined();
  const own = await post<{ ssh_key: { id: number } }>("/ssh_keys", {
    name: "own",
    public_key: createKeyPair().publicKey,
    labels: createHetznerLabels(owner),
  });
  expect((await cloud.readInventory(owner, undefined)).sshKey).toBe(String(own.ssh_key.id));
});

test("reports why a server's creation failed, frees its name and removes it", async () => {
  double.cloud.faults.add({ kind: "noCapacity", shows: "action" });
  await order("pillar-anvil-prod", createHetznerLabels(owner));
  const [left] = (await cloud.readInventory(owner, undefined)).servers;
  if (!left) return;
  expect(left.failure).toMatch(/^resource_unavailable: /);
  await cloud.makeRoom(left.id);
  await cloud.makeRoom(left.id);
  expect((await cloud.readServer(left.id))?.name).toBe(`left-${left.id}`);
  await cloud.remove(left.id);
  expect((await cloud.readInventory(owner, undefined)).servers).toEqual([]);
});

test("accepts a token that may write, and refuses a token that is wrong or may only read", async () => {
  await cloud.checkRights();
  const failed = (token: string) =>
    withToken(token)
      .checkRights()
      .catch((error: CloudError) => error.message);
  expect(await failed(READS)).toMatch(
    /^pillar-host:host.token: Hetzner answered 403 .*\n {2}needed: set an API token with read and write permission/,
  );
  expect(await failed("x".repeat(64))).toMatch(/^pillar-host:host.token: Hetzner answered 401 /);
});

test.each([
  [400, true],
  [405, true],
  [422, true],
  [423, true],
  [403, false],
  [503, false],
])("accepts a token or not if the removal of a missing thing answers %i: %s", async (status, passes) => {
  double.cloud.faults.add({ kind: "answer", method: "DELETE", status });
  const passed = cloud.checkRights().then(
    () => true,
    () => false,
  );
  expect(await passed).toBe(passes);
});

// Messages of hcloud's own client, and of the API's actions.
test.each([
  ["error during placement (resource_unavailable, 1d1d17e504e28a4c)", true],
  ["resource_unavailable: error during placement", true],
  ["unsupported location for server type (invalid_input, 261e51cc9f7b737dd2412acadc7d08c4)", true],
  ["location 'ash' not found (invalid_input)", true],
  ["server location disabled (resource_unavailable)", true],
  ["error during placement (placement_error)", true],
  ["server limit exceeded (resource_limit_exceeded)", false],
  ["insufficient permissions for this request (forbidden)", false],
  ["unable to authenticate (unauthorized, 4ab)", false],
  ["invalid input in field 'user_data' (invalid_input)", false],
  ["a service or product is currently not available (unavailable)", false],
  ["context deadline exceeded", false],
])("decides whether an order's error means no room: %s: %s", (words, isNoRoom) => {
  expect(cloud.isNoRoom(words)).toBe(isNoRoom);
});

test("asks Hetzner's own API if no other endpoint is configured", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (at: string) => {
    asked.push(at);
    return new Response("{}");
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  await createHetzner({ token: WRITES, endpoint: undefined }).checkRights();
  expect(asked).toEqual(["https://api.hetzner.cloud/v1/ssh_keys/0"]);
});
