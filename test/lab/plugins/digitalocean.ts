import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { ensureToolchain, type Toolchain } from "../../../lab/toolchain";
import { publicKey, READ_TOKEN, TestCloud, TOKEN } from "../../clouds/digitalocean/fixture";
import { type Kind, kindOf } from "../contracts/contract";
import { makeTinyProject, runInTiny } from "./tinyProject";

/** One resource of the program under test; `ref:NAME.property` in its arguments is another one's output. */
export interface Resource {
  readonly type: "Droplet" | "SshKey" | "Firewall" | "Tag";
  readonly args: object;
  readonly opts?: object;
}

/** What the program under test does: plain data, so that one program serves every test. */
export interface Spec {
  readonly provider?: object;
  /** The token as the program gives it: marked secret, or as it is. */
  readonly plainToken?: boolean;
  /** A provider that is not the SDK's class, which marks the token by itself. */
  readonly bareProvider?: boolean;
  readonly resources?: Readonly<Record<string, Resource>>;
  /** Functions and their arguments; the answers are outputs. */
}

const plan = { image: "ubuntu-22-04-x64", size: "s-4vcpu-8gb", region: "fra1", name: "pillar-1" };
/** A Droplet like a host of the program. */
export const droplet = (args: object = {}, opts: object = {}): Resource => ({
  type: "Droplet",
  args: { ...plan, ...args },
  opts,
});
/** An ssh key of the operator's. */
export const key: Resource = { type: "SshKey", args: { publicKey } };
export const anywhere = ["0.0.0.0/0", "::/0"];
/** A firewall for what is tagged with the Pillar's name. */
export const wall: Resource = {
  type: "Firewall",
  args: {
    name: "pillar-1",
    tags: ["pillar:Anvil"],
    inboundRules: [{ protocol: "tcp", portRange: "22", sourceAddresses: ["203.0.113.7/32"] }],
    outboundRules: [
      { protocol: "tcp", portRange: "all", destinationAddresses: anywhere },
      { protocol: "icmp", destinationAddresses: anywhere },
    ],
  },
};

const program = `const pulumi = require("@pulumi/pulumi");
const cloud = require("@pulumi/digitalocean");
const spec = JSON.parse(require("node:fs").readFileSync("spec.json", "utf8"));
const token = spec.plainToken ? spec.token : pulumi.secret(spec.token);
const settings = { apiEndpoint: spec.apiEndpoint, token, ...spec.provider };
const provider = spec.bareProvider
  ? new pulumi.ProviderResource("digitalocean", "cloud", settings)
  : new cloud.Provider("cloud", settings);
const made = {};
const resolve = (value) => {
  const [, name, property] = (typeof value === "string" && /^ref:(\\w+)\\.(\\w+)$/.exec(value)) || [];
  if (name) return made[name][property];
  if (Array.isArray(value)) return value.map(resolve);
  if (value === null || typeof value !== "object") return value;
  if ("secret" in value) return pulumi.secret(value.secret);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
};
for (const [name, { type, args, opts }] of Object.entries(spec.resources ?? {})) {
  made[name] = new cloud[type](name, resolve(args), { provider, ...opts });
}
`;

/** A resource as the engine keeps it. */
export interface Kept {
  readonly type: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly initErrors?: readonly string[];
}

interface StateFile {
  readonly checkpoint: { readonly latest: { readonly resources?: (Kept & { urn: string })[] } };
}

/** The real engine with a small program, on a DigitalOcean of the test's own. */
export class PluginStack {
  spec: Spec = {};
  token = TOKEN;
  /** All that was printed. */
  said = "";

  constructor(
    readonly dir: string,
    readonly toolchain: Toolchain,
    readonly cloud: TestCloud,
    readonly pace: number,
  ) {}

  /** Runs pulumi; what it printed comes back, of a failure as well. */
  async pulumi(...args: string[]): Promise<string> {
    const { url: apiEndpoint } = this.cloud;
    fs.writeFileSync(
      path.join(this.dir, "spec.json"),
      JSON.stringify({ token: this.token, apiEndpoint, ...this.spec }),
    );
    const env = { PILLAR_LAB_DIGITALOCEAN_PACE: String(this.pace) };
    const { all } = await runInTiny(this.dir, this.toolchain, args, env);
    this.said += all;
    return all;
  }

  up(resources?: Spec["resources"], ...args: string[]): Promise<string> {
    if (resources) this.spec = { ...this.spec, resources };
    return this.pulumi("up", "--yes", "--skip-preview", ...args);
  }

  /** What a preview would do, by resource; what stays the same is left out. */
  async preview(resources: Spec["resources"]): Promise<Record<string, string>> {
    this.spec = { ...this.spec, ...(resources ? { resources } : {}) };
    const { steps } = JSON.parse(await this.pulumi("preview", "--json")) as { steps: { urn: string; op: string }[] };
    const changes = steps.filter(({ op }) => op !== "same").map(({ urn, op }) => [urn.split("::").at(-1), op]);
    return Object.fromEntries(changes) as Record<string, string>;
  }

  async kept(name: string): Promise<Kept | undefined> {
    return (await this.resources()).find(({ urn }) => urn.endsWith(`::${name}`));
  }

  /** From the engine's own file: what `stack export` prints, without a run of it. */
  async resources(): Promise<(Kept & { urn: string })[]> {
    const text = fs.readFileSync(path.join(this.dir, "state/.pulumi/stacks/tiny/test.json"), "utf8");
    return (JSON.parse(text) as StateFile).checkpoint.latest.resources ?? [];
  }

  /** Every file that the engine wrote about the stack. */
  written(): string {
    const files = fs.readdirSync(path.join(this.dir, "state"), { recursive: true, withFileTypes: true });
    const texts = files.filter((file) => file.isFile());
    return texts.map((file) => fs.readFileSync(path.join(file.parentPath, file.name), "utf8")).join("\n");
  }
}

export let stack: PluginStack;
export let cloud: TestCloud;

/** What was changed at the cloud, in order, without numbers. */
export const changes = (): string[] =>
  cloud.double.cloud.requests
    .filter(({ method }) => method !== "GET")
    .map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}|\d{5,}/, "ID")}`);

/** The plugin, the engine, and before each test an empty stack and an empty cloud. */
export function usePlugin(kind: Kind, options: { readonly pace?: number } = {}): void {
  let toolchain: Toolchain;
  let home: string;
  let empty: string;

  beforeAll(async () => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), "digitalocean-home-"));
    toolchain = await ensureToolchain({ home, plugins: ["digitalocean"], kind: kindOf(kind) });
    // The engine takes half a second to begin a stack: once for all tests of a file.
    empty = fs.mkdtempSync(path.join(os.tmpdir(), "digitalocean-empty-"));
    makeTinyProject(empty, { "index.js": program });
    cloud = await TestCloud.start({ realTime: true });
    await new PluginStack(empty, toolchain, cloud, 1).pulumi("stack", "init", "test");
    await cloud.close();
  }, 900_000);

  beforeEach(async () => {
    cloud = await TestCloud.start({ realTime: true, timings: { create: 300, action: 100, delete: 50 } });
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), "digitalocean-plugin-"));
    fs.cpSync(empty, dir, { recursive: true, verbatimSymlinks: true });
    stack = new PluginStack(dir, toolchain, cloud, options.pace ?? 0.01);
  });

  afterEach(async () => {
    await cloud.close();
    fs.rmSync(stack.dir, { recursive: true, force: true });
    expect([TOKEN, READ_TOKEN].filter((token) => stack.said.includes(token))).toEqual([]);
  });

  afterAll(() => {
    for (const dir of [home, empty]) fs.rmSync(dir, { recursive: true, force: true });
  });
}
