import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { expect } from "vitest";
import { stringify } from "yaml";
import { ensureToolchain, type Toolchain } from "../../../lab/toolchain/index.ts";
import type { PluginName } from "../../../lab/toolchain/plugins.ts";
import { checkout } from "../../../lab/toolchain/version.ts";
import { type Kind, kindOf } from "../contracts/contract.ts";

/** A resource of the program under test: `ref:NAME.property` in its arguments is another resource's output. */
export interface Resource {
  readonly type: string;
  readonly args: object;
  readonly opts?: object;
}

export type Resources = Readonly<Record<string, Resource>>;

// The program reads its resources from plain data, so that one program serves every test.
const program = `const pulumi = require("@pulumi/pulumi");
const { plugin, settings, resources } = JSON.parse(require("node:fs").readFileSync("spec.json", "utf8"));
const sdk = require("@pulumi/" + plugin);
const made = {};
const resolve = (value) => {
  const [, name, property] = (typeof value === "string" && /^ref:(\\w+)\\.(\\w+)$/.exec(value)) || [];
  if (name) return made[name][property];
  if (Array.isArray(value)) return value.map(resolve);
  if (value === null || typeof value !== "object") return value;
  if ("secret" in value) return pulumi.secret(resolve(value.secret));
  if ("number" in value) return pulumi.output(resolve(value.number)).apply(Number);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
};
const provider = new sdk.Provider("cloud", resolve(settings));
for (const [name, { type, args, opts }] of Object.entries(resources)) {
  const Type = type.split(".").reduce((at, part) => at[part], sdk);
  made[name] = new Type(name, resolve(args), { provider, ...opts });
}
exports.node = [...process.execArgv, globalThis.loadedFirst];
`;

/** A resource as the engine keeps it. */
export interface Kept {
  readonly urn: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly initErrors?: readonly string[];
}

/** The real engine with a small program and one plugin. */
export class PluginStack {
  settings: object = {};
  resources: Resources = {};
  /** All printed output. */
  said = "";

  private constructor(
    readonly dir: string,
    private readonly plugin: PluginName,
    private readonly toolchain: Toolchain,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async create(kind: Kind, plugin: PluginName, env: NodeJS.ProcessEnv = {}): Promise<PluginStack> {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), `${plugin}-plugin-`));
    const options = { typescript: false, nodeargs: "--title=tiny  --require=./first.js" };
    const files = {
      "Pulumi.yaml": stringify({ name: "tiny", runtime: { name: "nodejs", options } }, { lineWidth: 0 }),
      "package.json": JSON.stringify({ name: "tiny", main: "index.js" }),
      "index.js": program,
      "first.js": "globalThis.loadedFirst = true;\n",
    };
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(dir, name), text);
    fs.symlinkSync(path.join(checkout, "node_modules"), path.join(dir, "node_modules"));
    fs.mkdirSync(path.join(dir, "state"));
    const toolchain = await ensureToolchain({ home: path.join(dir, "home"), plugins: [plugin], kind: kindOf(kind) });
    const stack = new PluginStack(dir, plugin, toolchain, env);
    await stack.pulumi("stack", "init", "test");
    return stack;
  }

  /** Runs pulumi, and returns its output, also after a failure. */
  pulumi(...args: string[]): Promise<string> {
    const { plugin, settings, resources } = this;
    fs.writeFileSync(path.join(this.dir, "spec.json"), JSON.stringify({ plugin, settings, resources }));
    return this.run(this.toolchain.pulumi, [...args, "--non-interactive"]);
  }

  /** Runs a program of the operator's in the project's directory, and returns its output. */
  async run(command: string, args: readonly string[]): Promise<string> {
    const { dir } = this;
    const { all } = await execa(command, args, {
      cwd: dir,
      all: true,
      reject: false,
      stdin: "ignore",
      env: {
        ...this.toolchain.env,
        PULUMI_BACKEND_URL: `file://${dir}/state`,
        PULUMI_CONFIG_PASSPHRASE: "tiny",
        PULUMI_STACK: "test",
        ...this.env,
      },
    });
    this.said += all;
    return all;
  }

  up(resources: Resources = this.resources): Promise<string> {
    this.resources = resources;
    return this.pulumi("up", "--yes", "--skip-preview");
  }

  destroy = (): Promise<string> => this.pulumi("destroy", "--yes", "--skip-preview");
  refresh = (): Promise<string> => this.pulumi("refresh", "--yes", "--skip-preview");

  /** Returns a preview's operations by resource, without unchanged ones. */
  async preview(resources: Resources): Promise<Record<string, string>> {
    this.resources = resources;
    const { steps } = JSON.parse(await this.pulumi("preview", "--json")) as { steps: { urn: string; op: string }[] };
    const changes = steps.filter(({ op }) => op !== "same").map(({ urn, op }) => [urn.split("::").at(-1), op]);
    return Object.fromEntries(changes) as Record<string, string>;
  }

  /** Reads the engine's own state file, by resource: the same as `stack export`, without a run of it. */
  kept(): Record<string, Kept> {
    const text = fs.readFileSync(path.join(this.dir, "state/.pulumi/stacks/tiny/test.json"), "utf8");
    const { resources = [] } = (JSON.parse(text) as { checkpoint: { latest: { resources?: Kept[] } } }).checkpoint
      .latest;
    const own = resources.filter(({ urn }) => !/pulumi:(providers|pulumi):/.test(urn));
    return Object.fromEntries(own.map((kept) => [kept.urn.split("::").at(-1), kept]));
  }

  /** Expects no secret in the output and in the engine's files. */
  expectNone(secrets: readonly string[]): void {
    const files = fs
      .readdirSync(this.dir, { recursive: true, encoding: "utf8" })
      .filter((name) => !/^(node_modules|home\/plugins|spec\.json)/.test(name))
      .map((name) => path.join(this.dir, name))
      .filter((name) => fs.lstatSync(name).isFile());
    expect(files.length).toBeGreaterThan(5);
    const written = [this.said, ...files.map((name) => fs.readFileSync(name, "utf8"))];
    expect(secrets.filter((secret) => written.some((text) => text.includes(secret)))).toEqual([]);
  }

  remove(): void {
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}

/** True if the state has encrypted the value. */
export const isSecret = (value: unknown): boolean =>
  (value as { ciphertext?: string } | undefined)?.ciphertext !== undefined;
