import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureToolchain } from "../../../lab/toolchain";
import { type Json, PUBLIC_KEY, READ_ONLY, type Running, serve, TOKEN } from "../../clouds/hetzner/fixture";
import { contract, kindOf } from "../contracts/contract";
import { makeTinyProject, runInTiny } from "./tinyProject";

// The real engine, tiny programs and the hcloud plugin that the lab uses, against the API double on loopback. One stack
// goes through its life; each test goes on where the one before it ended.

const ROTATED = "v".repeat(64);
const USER_DATA = "#cloud-config\n# nobody's business\n";
const hash = createHash("sha1").update(USER_DATA).digest("base64");

contract("hcloud plugin", ["pulumi-resource-hcloud"], (kind) => {
  let cloud: Running;
  let work: string;
  let said = "";
  let pulumi: (args: string[], token?: string) => Promise<string>;

  beforeAll(async () => {
    cloud = await serve({ actionSeconds: 0.05, tokens: { [TOKEN]: "write", [ROTATED]: "write", [READ_ONLY]: "read" } });
    work = fs.mkdtempSync(path.join(os.tmpdir(), "hcloud-plugin-"));
    makeTinyProject(work, {});

    const toolchain = await ensureToolchain({ home: path.join(work, "home"), plugins: ["hcloud"], kind: kindOf(kind) });
    pulumi = async (args, token = TOKEN) => {
      const env = { API_TOKEN: token, API_URL: `${cloud.url}/v1` };
      const { exitCode, all } = await runInTiny(work, toolchain, args, env);
      said += all;
      if (exitCode !== 0) throw new Error(all);
      return all;
    };
    await pulumi(["stack", "init", "test"]);
  }, 900_000);

  afterAll(async () => {
    await cloud.close();
    fs.rmSync(work, { recursive: true, force: true });
  });

  function program(code: string): void {
    const head = `const hcloud = require("@pulumi/hcloud");
const pulumi = require("@pulumi/pulumi");
const { API_TOKEN: token, API_URL: endpoint } = process.env;
const provider = new hcloud.Provider("cloud", { token, endpoint, pollInterval: "50ms" });
const opts = { provider };
`;
    fs.writeFileSync(path.join(work, "index.js"), head + code);
  }

  function up(code: string, token?: string): Promise<string> {
    program(code);
    return pulumi(["up", "--yes", "--skip-preview"], token);
  }

  const failing = (run: Promise<string>): Promise<string> => run.then(() => "it went well", String);

  /** From the engine's own file: what `stack export` prints, without a run of it. */
  async function recorded(): Promise<{ type: string; id?: string; inputs: Json; outputs: Json }[]> {
    const text = fs.readFileSync(path.join(work, "state/.pulumi/stacks/tiny/test.json"), "utf8");
    return ((JSON.parse(text) as Json).checkpoint.latest.resources ?? []).filter(({ type }: Json) =>
      type.startsWith("hcloud:"),
    );
  }

  async function api(method: string, at: string, body?: object): Promise<Json> {
    const base = at.startsWith("/_lab") ? cloud.url : `${cloud.url}/v1`;
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await fetch(base + at, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await response.text();
    return text === "" ? undefined : JSON.parse(text);
  }

  const server = async (): Promise<Json> => (await api("GET", "/servers")).servers[0];
  const writes = () =>
    cloud.requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);

  const key = `const key = new hcloud.SshKey("key", { name: "anvil", publicKey: ${JSON.stringify(PUBLIC_KEY)} }, opts);\n`;
  const firewall = (ports: string[]) => `const firewall = new hcloud.Firewall("firewall", {
  labels: { stack: "test" },
  rules: ${JSON.stringify(ports)}.map((port) => ({ direction: "in", protocol: "tcp", port, sourceIps: ["0.0.0.0/0", "::/0"] })),
}, opts);\n`;
  // What `more` sets again wins.
  const anvil = (more = "") => `const server = new hcloud.Server("server", {
  name: "anvil", serverType: "cpx32", image: "debian-11", location: "nbg1",
  userData: pulumi.secret(${JSON.stringify(USER_DATA)}), sshKeys: [key.id], firewallIds: [firewall.id.apply(Number)],
  labels: { stack: "test" }, backups: true, deleteProtection: true, rebuildProtection: true, ${more}
}, { ...opts, ignoreChanges: [] });
exports.address = server.ipv4Address;\n`;
  const all = key + firewall(["22", "35995"]) + anvil();

  describe("a server", () => {
    test("is made with its key and firewall, booted and protected", async () => {
      expect(await up(all)).toContain('address: "10.9.8.1"');
      expect(await server()).toMatchObject({
        ...{ name: "anvil", status: "running", backup_window: "22-02", protection: { delete: true, rebuild: true } },
        ...{ location: { name: "nbg1" }, server_type: { name: "cpx32" }, labels: { stack: "test" } },
      });
      const [order] = cloud.room.orders;
      expect(order).toMatchObject({ userData: USER_DATA, sshKeys: [PUBLIC_KEY] });
      // A set: the original hands it on in another order.
      expect(order?.firewall?.map(({ ports }) => ports).sort()).toEqual(["22", "35995"]);
      // Logical name and random end, as for every resource without a name.
      expect((await api("GET", "/firewalls")).firewalls[0].name).toMatch(/^firewall-[0-9a-f]{7}$/);
    });

    test("stands in the state with the hash of its user data, secret like the data; the token is secret too", async () => {
      const found = (await recorded()).find(({ type }) => type === "hcloud:index/server:Server");
      expect(found?.outputs).toMatchObject({ ipv4Address: "10.9.8.1", status: "running", primaryDiskSize: 160 });
      expect(found?.outputs.ipv6Address).toMatch(/^2001:db8:.*::1$/);
      expect([found?.inputs.userData, found?.outputs.userData].map(Object.keys)).toEqual(
        Array(2).fill(["4dabf18193072939515e22adb298388d", "ciphertext"]),
      );
      const before = said;
      const shown = JSON.parse(await pulumi(["stack", "export", "--show-secrets"])) as Json;
      const secrets = shown.deployment.resources.find(({ id }: Json) => id === found?.id);
      expect(secrets.outputs.userData.plaintext).toBe(JSON.stringify(hash));
      said = before;
    });

    test("is left alone while nothing changed", async () => {
      const before = writes().length;
      expect(await up(all)).toContain("5 unchanged");
      expect(writes().length).toBe(before);
    });

    test("stays when the token changes", async () => {
      expect(await up(all, ROTATED)).not.toContain("replaced");
      expect(cloud.room.orders.length).toBe(1);
    });

    test("changes type, labels, protection and firewall rules in place", async () => {
      const changed = anvil(
        'labels: { stack: "new" }, serverType: "cpx42", deleteProtection: false, rebuildProtection: false,',
      );
      // The third is the provider, whose token is the old one again.
      expect(await up(key + firewall(["22"]) + changed)).toContain("3 updated");
      expect(await server()).toMatchObject({
        ...{ status: "running", labels: { stack: "new" }, server_type: { name: "cpx42" }, primary_disk_size: 320 },
        ...{ protection: { delete: false, rebuild: false } },
      });
      expect([...cloud.room.rules.values()].map((rules) => rules?.map(({ ports }) => ports))).toEqual([["22"]]);
    });

    test("would be replaced for another image, key or user data, the old one first, but not when told to ignore them", async () => {
      const other = anvil('serverType: "cpx42", image: "debian-12", userData: "other", sshKeys: [],');
      program(key + firewall(["22"]) + other);
      const { steps } = JSON.parse(await pulumi(["preview", "--json", "--show-replacement-steps"])) as Json;
      const planned = steps.filter(({ urn }: Json) => urn.endsWith("::server"));
      expect(planned.map(({ op }: Json) => op)).toEqual(["delete-replaced", "replace", "create-replacement"]);
      expect(planned[1].replaceReasons.toSorted()).toEqual(["image", "sshKeys", "userData"]);
      const ignoring = other.replace("ignoreChanges: []", 'ignoreChanges: ["image", "userData", "sshKeys", "labels"]');
      const orders = cloud.room.orders.length;
      expect(await up(key + firewall(["22"]) + ignoring)).toContain("1 updated");
      expect(cloud.room.orders.length).toBe(orders);
      expect(await server()).toMatchObject({ protection: { delete: true }, labels: { stack: "new" } });
    });

    test("is not destroyed while it is protected, whoever protected it", async () => {
      const { id } = await server();
      const destroyed = () => failing(pulumi(["destroy", "--yes", "--skip-preview"]));
      expect(await destroyed()).toContain("server deletion is protected (protected, ");
      // What was ignored is compared again, and is the same: no second server was ordered.
      await up(
        key + firewall(["22"]) + anvil('serverType: "cpx42", deleteProtection: false, rebuildProtection: false,'),
      );
      expect(cloud.room.orders.length).toBe(1);
      await api("POST", `/servers/${id}/actions/change_protection`, { delete: true, rebuild: true });
      expect(await destroyed()).toContain("server deletion is protected (protected, ");
      await api("POST", `/servers/${id}/actions/change_protection`, { delete: false, rebuild: false });
      await pulumi(["destroy", "--yes", "--skip-preview"]);
      expect([cloud.cloud.servers.size, cloud.cloud.firewalls.size, cloud.cloud.sshKeys.size]).toEqual([0, 0, 0]);
    });

    test("that is gone can be neither changed nor destroyed, until the state forgets it", async () => {
      const gone = (labels: string) =>
        `new hcloud.Server("gone", { name: "gone", serverType: "cpx32", image: "debian-11", labels: { ${labels} } }, opts);\n`;
      await up(gone(""));
      await api("DELETE", `/servers/${(await server()).id}`);
      expect(await failing(up(gone('stack: "test"')))).toContain(
        "error: Resource provider reported that the resource did not exist while updating ",
      );
      expect(await failing(pulumi(["destroy", "--yes", "--skip-preview"]))).toContain("server not found (not_found, ");
      expect(await pulumi(["refresh", "--yes", "--skip-preview"])).toContain("1 deleted");
      await pulumi(["destroy", "--yes", "--skip-preview"]);
    });
  });

  describe("a failed create", () => {
    const plain = (name: string, more = "") =>
      `new hcloud.Server("${name}", { name: "${name}", serverType: "cpx32", image: "debian-11", location: "fsn1", ${more} }, opts);\n`;

    test("for want of capacity is not recorded", async () => {
      const { id } = await api("POST", "/_lab/faults", { kind: "noCapacity", location: "fsn1" });
      expect(await failing(up(plain("one")))).toMatch(/error during placement \(resource_unavailable, [0-9a-f]{16}\)/);
      await api("DELETE", `/_lab/faults/${id}`);
      expect(await recorded()).toEqual([]);
    });

    test("whose answer is a 502 that the API words as JSON is not asked again", async () => {
      await api("POST", "/_lab/faults", { kind: "answer", method: "POST", path: "/servers", status: 502, times: 1 });
      expect(await failing(up(plain("one")))).toContain("bad_gateway");
      expect(await recorded()).toEqual([]);
      expect(cloud.cloud.servers.size).toBe(0);
    });

    test("after the server exists is recorded; the next up goes on with it, without what was missed", async () => {
      await api("POST", "/_lab/faults", { kind: "failAction", command: "enable_backup", times: 1 });
      const half = plain("two", "backups: true, shutdownBeforeDeletion: true");
      expect(await failing(up(half))).toContain("Action failed (action_failed, ");
      expect((await recorded()).map(({ type }) => type)).toEqual(["hcloud:index/server:Server"]);
      expect(await up(half)).toContain("1 updated");
      expect([cloud.cloud.servers.size, (await server()).backup_window]).toEqual([1, null]);
    });

    test("whose answer was lost leaves a server that the next one collides with", async () => {
      await api("POST", "/_lab/faults", { kind: "cutAnswer", method: "POST", path: "/servers", times: 1 });
      const three = plain("two", "backups: true, shutdownBeforeDeletion: true") + plain("three");
      expect(await failing(up(three))).toContain("EOF");
      expect(await failing(up(three))).toContain("server name is already used (uniqueness_error");
      const { servers } = await api("GET", "/servers?name=three");
      // Adopted by its id, as it is; then a vanished one leaves the state.
      const adopted = three.replace(/opts\);\n$/, `{ ...opts, import: "${servers[0].id}" });\n`);
      expect(await up(adopted)).toContain("1 imported");
      await api("DELETE", `/servers/${servers[0].id}`);
      expect(await pulumi(["refresh", "--yes", "--skip-preview"])).toContain("1 deleted");
      expect(await recorded()).toHaveLength(1);
      await up("");
      expect(cloud.room.said.slice(-2).map((what) => what.replace(/ hz\d+$/, ""))).toEqual(["shut down", "remove"]);
    });
  });

  describe("a token", () => {
    test("that is too short, or may only look, is refused", async () => {
      const other = key.replaceAll("anvil", "other");
      const short = await failing(up(other, "short"));
      expect(short).toContain("entered token is invalid (must be exactly 64 characters long)");
      expect(await failing(up(other, READ_ONLY))).toContain("insufficient permissions for this request (forbidden");
    });

    test("stands nowhere: not in what was printed, nor in state, history or home; and user data neither", () => {
      const files = fs
        .readdirSync(work, { recursive: true, encoding: "utf8" })
        .filter((name) => !name.startsWith("node_modules") && !name.startsWith("home/plugins") && name !== "index.js")
        .map((name) => path.join(work, name))
        .filter((name) => fs.lstatSync(name).isFile())
        .map((name) => fs.readFileSync(name, "utf8"));
      expect(files.length).toBeGreaterThan(5);
      const secrets = [TOKEN, ROTATED, READ_ONLY, "nobody's business", hash];
      expect(secrets.filter((secret) => [said, ...files].some((text) => text.includes(secret)))).toEqual([]);
    });
  });
});
