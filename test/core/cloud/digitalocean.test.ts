import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Cloud } from "../../../core/cloud/cloud";
import { createDigitalocean, createDigitaloceanTag, formatSlug, parseSlug } from "../../../core/cloud/digitalocean";
import type { CloudError } from "../../../core/cloud/http";
import { createDigitalOcean as createDouble, type DigitalOcean } from "../../../lab/clouds/digitalocean";
import { createKeyPair } from "../../../providers/hostKey";
import { emptyRoom } from "../../lab/clouds/emptyRoom";

const [WRITES, READS] = [`dop_v1_${"a".repeat(64)}`, `dop_v1_${"b".repeat(64)}`];
const owner = { stack: "prod", pillar: "Anvil" };
const timings = { create: 0, action: 0, delete: 0 };
let double: DigitalOcean;
let server: Server;
let url: string;
let cloud: Cloud;

beforeEach(async () => {
  double = createDouble({ room: emptyRoom(), tokens: { [WRITES]: "write", [READS]: "read" }, timings });
  server = createServer(double.handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  cloud = withToken(WRITES);
});

afterEach(() => server.close());

const withToken = (token: string) => createDigitalocean({ token, endpoint: url, sleep: async () => undefined });

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${WRITES}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  return (await response.json()) as T;
}

const order = (name: string, tags: string[]) =>
  ask<{ droplet: { id: number } }>("POST", "/v2/droplets", {
    name,
    tags,
    size: "s-4vcpu-8gb",
    image: "ubuntu-22-04-x64",
    region: "fra1",
  });

test("lists every size in every region that has it", async () => {
  const offers = await cloud.readOffers(false);
  expect(offers.find(({ plan, location }) => plan === "s-4vcpu-8gb" && location === "fra1")).toEqual({
    plan: "s-4vcpu-8gb",
    location: "fra1",
    cores: 4,
    memoryGb: 8,
    diskGb: 160,
    monthly: 48,
    currency: "USD",
    isAvailable: true,
  });
  expect((await cloud.readOffers(true)).find(({ plan }) => plan === "s-4vcpu-8gb")?.monthly).toBe(57.6);
});

test("translates images to the configuration's names", async () => {
  expect(await cloud.readImages()).toEqual(expect.arrayContaining(["ubuntu-22.04", "debian-12"]));
  expect([formatSlug("ubuntu-22.04"), formatSlug("debian-12")]).toEqual(["ubuntu-22-04-x64", "debian-12-x64"]);
  expect(["ubuntu-22-04-x64", "debian-12-x64", "centos-stream-9-x64", "gpu-h100x1-base"].map(parseSlug)).toEqual([
    ...["ubuntu-22.04", "debian-12", "centos-stream-9"],
    undefined,
  ]);
});

test("finds a stack's Droplet by its tag, and no other stack's", async () => {
  const { droplet } = await order("pillar-anvil-prod", [createDigitaloceanTag(owner)]);
  await order("other", [createDigitaloceanTag({ ...owner, stack: "prod-2" })]);
  const { servers, tag } = await cloud.readInventory(owner, undefined);
  expect(servers).toEqual([
    {
      id: String(droplet.id),
      name: "pillar-anvil-prod",
      plan: "s-4vcpu-8gb",
      location: "fra1",
      image: "ubuntu-22.04",
      address: "192.0.2.1",
      failure: undefined,
    },
  ]);
  expect(tag).toBe("pillar-host:prod:Anvil");
  expect(await cloud.readServer(String(droplet.id))).toEqual(servers[0]);
  expect(await cloud.readServer("7")).toBeUndefined();
});

test("distinguishes a foreign copy of the public key from the stack's own key", async () => {
  const { publicKey } = createKeyPair();
  const add = (name: string, public_key: string) =>
    ask<{ ssh_key: { id: number } }>("POST", "/v2/account/keys", { name, public_key });
  const { ssh_key } = await add("laptop", `${publicKey} me@laptop`);
  expect(await cloud.readInventory(owner, publicKey)).toMatchObject({
    sshKey: undefined,
    foreignKey: String(ssh_key.id),
  });
  const own = await add("pillar-anvil-prod", createKeyPair().publicKey);
  expect((await cloud.readInventory(owner, undefined)).sshKey).toBe(String(own.ssh_key.id));
});

test("reports that a Droplet's creation failed", async () => {
  double.cloud.faults.add({ kind: "failAction", command: "create" });
  await order("pillar-anvil-prod", [createDigitaloceanTag(owner)]);
  const [left] = (await cloud.readInventory(owner, undefined)).servers;
  expect(left?.failure).toBe("the Droplet's creation ended in an error");
});

test("accepts a token that may write, and refuses a token that may only read", async () => {
  await cloud.checkRights();
  const failed = (token: string) =>
    withToken(token)
      .checkRights()
      .catch((error: CloudError) => error.message);
  expect(await failed(READS)).toMatch(/^pillar-host:host.token: DigitalOcean answered 403 /);
  expect(await failed("dop_v1_wrong")).toMatch(/^pillar-host:host.token: DigitalOcean answered 401 /);
});

const posted = "Error creating droplet: POST https://api.digitalocean.com/v2/droplets: ";

// Messages of godo.
test.each([
  [`${posted}422 (request "94739105") Size is not available in this region.`, true],
  [`${posted}422 Region is not available`, true],
  [`${posted}422 (request 94739105) Size is unavailable.`, true],
  [`${posted}422 (request "1") creating this/these droplet(s) will exceed your droplet limit`, false],
  [`${posted}403 (request "1") You are not authorized to perform this operation`, false],
  [`${posted}401 (request "1") Unable to authenticate you`, false],
  [`${posted}422 (request "1") You specified an invalid image for Droplet creation.`, false],
  [`${posted}503 (request "1") Service Unavailable`, false],
  ["the Droplet's creation ended in an error", false],
])("decides whether an order's error means no room: %s: %s", (words, isNoRoom) => {
  expect(cloud.isNoRoom(words)).toBe(isNoRoom);
});
