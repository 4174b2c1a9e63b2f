import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Cloud, type CloudConfig, formatKeyName, type Owner } from "../../../core/cloud/cloud.ts";
import { createCloud, describeOtherEndpoint } from "../../../core/cloud/clouds.ts";
import { createDigitaloceanTag, formatSlug, parseSlug } from "../../../core/cloud/digitalocean.ts";
import { createHetznerLabels } from "../../../core/cloud/hetzner.ts";
import { createKeyPair } from "../../../providers/hostKey.ts";
import { type ServedCloud, serveCloud } from "../../lab/clouds/servedCloud.ts";

const owner = { stack: "prod", pillar: { name: "Anvil" } };
const name = "pillar-anvil-prod";
const machine = { cores: 4, memoryGb: 8, diskGb: 160 };
const wishes = {
  hetzner: { plan: "cpx32", location: "fsn1", ...machine, monthly: 41.04, currency: "EUR" },
  digitalocean: { plan: "s-4vcpu-8gb", location: "fra1", ...machine, monthly: 48, currency: "USD" },
};

describe.each([
  [
    "hetzner",
    49.13,
    "/ssh_keys",
    (of: Owner) => ({ labels: { ...createHetznerLabels(of), "pillar-host-order": "0a1b" } }),
  ],
  [
    "digitalocean",
    57.6,
    "/account/keys",
    (of: Owner) => ({ tags: [createDigitaloceanTag(of), "pillar-host-order:0a1b"] }),
  ],
] as const)("the client of %s", (provider, withBackups, keys, marks) => {
  const { plan, location } = wishes[provider];
  let double: ServedCloud;
  let cloud: Cloud;
  beforeEach(async () => {
    double = await serveCloud(provider);
    cloud = createCloud[provider]({ token: double.token, endpoint: double.endpoint, sleep: async () => undefined });
  });
  afterEach(() => double.close());

  /** Orders a server as the plugin does. */
  const order = (called: string, of: object) =>
    double.ask("POST", provider === "hetzner" ? "/servers" : "/droplets", {
      name: called,
      ...(provider === "hetzner"
        ? { server_type: plan, image: "ubuntu-22.04", location }
        : { size: plan, image: "ubuntu-22-04-x64", region: location }),
      ...of,
    });

  test("lists every plan in every location, with price and availability, and the images", async () => {
    const at = async (backups: boolean) =>
      (await cloud.readOffers(backups)).find((each) => each.plan === plan && each.location === location);
    expect(await at(false)).toEqual({ ...wishes[provider], isAvailable: true });
    expect((await at(true))?.monthly).toBe(withBackups);
    expect((await cloud.readOffers(false)).filter((each) => each.plan.startsWith("cax"))).toEqual([]);
    const images = await cloud.readImages();
    expect(images).toEqual(expect.arrayContaining(["ubuntu-22.04", "debian-12"]));
    expect(new Set(images).size).toBe(images.length);
  });

  test("finds a stack's server by its labels or tag, and no other stack's", async () => {
    await order(name, marks(owner));
    await order("other", marks({ ...owner, stack: "prod-2" }));
    await order("unlabelled", {});
    const { servers } = await cloud.readInventory(owner);
    const id = String([...double.account.servers.keys()][0]);
    const is = { id, name, plan, location, image: "ubuntu-22.04", address: "192.0.2.1" };
    const more = { ...(provider === "hetzner" && { isProtected: false }), failure: undefined, order: "0a1b" };
    expect(servers).toEqual([{ ...is, ...more }]);
    await order("bare", {});
    expect((await cloud.readServer(String([...double.account.servers.keys()].at(-1))))?.order).toBeUndefined();
    expect(await cloud.readServer(id)).toEqual(servers[0]);
    expect(await cloud.readServer("7")).toBeUndefined();
  });

  test("distinguishes a foreign copy of the public key from the stack's own key", async () => {
    const { publicKey } = createKeyPair();
    const add = (called: string, public_key: string) =>
      double.ask("POST", keys, { name: called, public_key, ...(called === name && marks(owner)) });
    const foreign = (await add("laptop", `${publicKey} me@laptop`)).ssh_key.id;
    expect(await cloud.readInventory(owner, publicKey)).toMatchObject({ sshKey: undefined, foreignKey: `${foreign}` });
    expect((await cloud.readInventory(owner, createKeyPair().publicKey)).foreignKey).toBeUndefined();
  });

  test("takes an ssh key with the stack's name and labels for its own only with the configured public half", async () => {
    const { publicKey } = createKeyPair();
    const add = async (public_key: string) => {
      const key = { name: formatKeyName(owner, publicKey), public_key, ...marks(owner) };
      return `${(await double.ask("POST", keys, key)).ssh_key.id}`;
    };
    const stolen = await add(createKeyPair().publicKey);
    expect(await cloud.readInventory(owner, publicKey)).toMatchObject({ sshKey: undefined, foreignKey: undefined });
    const own = await add(publicKey);
    expect(await cloud.readInventory(owner, publicKey)).toMatchObject({ sshKey: own, foreignKey: undefined });
    expect(await cloud.readPublicKey(own)).toBe(publicKey);
    expect(await cloud.readPublicKey(stolen)).not.toBe(publicKey);
    expect(await cloud.readPublicKey("7")).toBeUndefined();
  });

  test("reports why a server's creation failed, frees its name and removes it", async () => {
    double.account.faults.add({ kind: "noCapacity", shows: "action" });
    await order(name, marks(owner));
    const find = async () => (await cloud.readInventory(owner)).servers;
    await expect.poll(async () => (await find())[0]?.failure).toBeDefined();
    const [left] = await find();
    expect(left?.failure).toMatch(/^resource_unavailable: error during placement$|^the Droplet's creation ended in/);
    const id = left?.id ?? "";
    await cloud.makeRoom?.(id);
    await cloud.makeRoom?.(id);
    expect((await cloud.readServer(id))?.name).toBe(provider === "hetzner" ? `left-${id}` : name);
    await cloud.remove(id);
    expect(await find()).toEqual([]);
  });
});

test("translates DigitalOcean's images to the configuration's names", () => {
  expect([formatSlug("ubuntu-22.04"), formatSlug("debian-12")]).toEqual(["ubuntu-22-04-x64", "debian-12-x64"]);
  expect(["ubuntu-22-04-x64", "debian-12-x64", "centos-stream-9-x64", "gpu-h100x1-base"].map(parseSlug)).toEqual([
    ...["ubuntu-22.04", "debian-12", "centos-stream-9"],
    undefined,
  ]);
});

const posted = "Error creating droplet: POST https://api.digitalocean.com/v2/droplets: ";

// Messages of the plugins' clients, and of Hetzner's actions.
test.each([
  ["hetzner", "error during placement (resource_unavailable, 1d1d17e504e28a4c)", true],
  ["hetzner", "resource_unavailable: error during placement", true],
  ["hetzner", "unsupported location for server type (invalid_input, 261e51cc9f7b737dd2412acadc7d08c4)", true],
  ["hetzner", "location 'ash' not found (invalid_input)", true],
  ["hetzner", "server location disabled (resource_unavailable)", true],
  ["hetzner", "error during placement (placement_error)", true],
  ["hetzner", "server limit exceeded (resource_limit_exceeded)", false],
  ["hetzner", "insufficient permissions for this request (forbidden)", false],
  ["hetzner", "invalid input in field 'user_data' (invalid_input)", false],
  ["hetzner", "a service or product is currently not available (unavailable)", false],
  ["hetzner", "context deadline exceeded", false],
  ["digitalocean", `${posted}422 (request "94739105") Size is not available in this region.`, true],
  ["digitalocean", `${posted}422 Region is not available`, true],
  ["digitalocean", `${posted}422 (request 94739105) Size is unavailable.`, true],
  ["digitalocean", `${posted}422 (request "1") creating this/these droplet(s) will exceed your droplet limit`, false],
  ["digitalocean", `${posted}422 (request "1") You specified an invalid image for Droplet creation.`, false],
  ["digitalocean", `${posted}503 (request "1") Service Unavailable`, false],
  ["digitalocean", "the Droplet's creation ended in an error", false],
] as const)("decides whether an order's error at %s means no room: %s: %s", (provider, words, isNoRoom) => {
  expect(createCloud[provider]({ token: "hunter2" }).isNoRoom(words)).toBe(isNoRoom);
});

test.each([
  ["hetzner", "server limit exceeded (resource_limit_exceeded, d1798f30e86aa508)", "console.hetzner.cloud/limits"],
  ["hetzner", "Primary IP limit exceeded (resource_limit_exceeded, 971c2996dc2dd6c0)", "console.hetzner.cloud/limits"],
  ["hetzner", "limit of 3600 requests per hour reached (rate_limit_exceeded)", undefined],
  ["hetzner", "error during placement (resource_unavailable, 1d1d17e504e28a4c)", undefined],
  [
    "digitalocean",
    `${posted}422 creating this/these droplet(s) will exceed your droplet limit`,
    "droplet_limit_increase",
  ],
  ["digitalocean", `${posted}422 (request "94739105") Size is not available in this region.`, undefined],
] as const)("finds the page of the account's limit at %s: %s", (provider, words, page) => {
  const found = createCloud[provider]({ token: "hunter2" }).findLimitPage(words);
  expect(found).toEqual(page === undefined ? undefined : expect.stringContaining(page));
});

test("asks Hetzner's own API if no other endpoint is configured", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (at: string) => {
    asked.push(at);
    return new Response(JSON.stringify({ images: [] }));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  await createCloud.hetzner({ token: "hunter2" }).readImages();
  expect(asked).toEqual([expect.stringMatching(/^https:\/\/api\.hetzner\.cloud\/v1\/images\?/)]);
});

test.each([
  [undefined, undefined],
  ["http://127.0.0.1:9", undefined],
  [
    "https://api.evil.example/v1",
    "the API of hetzner is asked at api.evil.example, as the stack's file says: it gets the API token",
  ],
])("an API at another address than the usual one is shown: %s", (apiEndpoint, line) => {
  const host = { provider: "hetzner", token: "hunter2" };
  expect(describeOtherEndpoint({ host, apiEndpoint } as CloudConfig)).toBe(line);
});
