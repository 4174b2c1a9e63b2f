import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, mkdir, open, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Options } from "execa";
import { parse, stringify } from "yaml";
import { certificateFile } from "../hosts/labHosts.ts";
import type { Lab } from "../lab.ts";
import { keepPrinted, noteSecret } from "../testRun/printed.ts";
import { engineLogs } from "../toolchain/engineLogs.ts";
import { ensureToolchain, type Toolchain } from "../toolchain/index.ts";
import type { PluginName } from "../toolchain/plugins.ts";
import type { Backend } from "./backends.ts";
import { Run } from "./engineRun.ts";
import { openStackKey, type Protection, type StackKey, vaultKey, withSecured } from "./stackSecrets.ts";
import { type Deployment, outputsIn, readState } from "./stackState.ts";

const checkout = join(import.meta.dirname, "../..");
/** Files at the top of the program, which a run may change or find its project by. */
const copied = ["pillar-host", "Pulumi.yaml", "package.json"];
const linked = ["index.ts", "components", "core", "providers", "cli", "examples", "node_modules"];

/** Configuration below `pillar-host:`, as in a stack's file. A key with a colon is complete. */
export type StackFile = Readonly<Record<string, unknown>>;

/** Options of a stack. */
export interface StackOptions {
  /** Folder of the project; differs from the stack's name if two projects have a stack of the same name. */
  readonly folder?: string;
  /** Backend of the state; by default a directory next to the project. */
  readonly backend?: Backend;
  /** True if a pass phrase protects the secrets, as for an operator; by default the faster double of Vault does. */
  readonly hasPassphrase?: boolean;
  /** True if each run has processes of its own, as for an operator; by default a test's runs share resident ones. */
  readonly isCold?: boolean;
}

const beginning = ["--yes", "--skip-preview", "--non-interactive"];

const pluginsOf = ({ host }: StackFile) => pluginsFor((host as { provider: string }).provider);

/** Returns the plugins that a stack with an existing host needs. */
export function pluginsFor(provider: string): PluginName[] {
  if (provider === "hetzner") return ["command", "hcloud"];
  return provider === "digitalocean" ? ["command", "digitalocean"] : ["command"];
}

/** Makes the program ready to run in a new directory. All stacks share the checkout's code, and its compile cache. */
export async function copyProgram(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const entry of copied) await cp(join(checkout, entry), join(directory, entry));
  for (const entry of linked) await symlink(join(checkout, entry), join(directory, entry));
}

/** A stack of the program under test. The real engine runs it on the operator's machine of a lab. */
export class LabStack {
  private readonly begun: Run[] = [];
  private key?: StackKey;
  private residents: Readonly<Record<string, string>> = {};

  /** Makes a project directory, a state backend and an empty stack below the lab's directory. */
  static async create(
    lab: Lab,
    name: string,
    config: StackFile,
    secrets: Readonly<Record<string, string>>,
    { folder = name, backend, hasPassphrase = false, isCold = !process.env.PILLAR_TEST_RUN }: StackOptions = {},
  ): Promise<LabStack> {
    const dir = join(lab.dir, "stacks", folder);
    await mkdir(join(dir, "backend"), { recursive: true });
    await copyProgram(join(dir, "program"));
    const toolchain = await ensureToolchain({ home: join(dir, "home"), plugins: pluginsOf(config) });
    const stack = new LabStack(lab, name, dir, toolchain, randomBytes(12).toString("hex"), backend);
    noteSecret("a stack's pass phrase", stack.passphrase);
    if (!isCold && toolchain.starter) await stack.useResident(toolchain.starter);
    await stack.initialize(hasPassphrase);
    await stack.configure(config, secrets);
    return stack;
  }

  private constructor(
    readonly lab: Lab,
    readonly name: string,
    readonly dir: string,
    readonly toolchain: Toolchain,
    readonly passphrase: string,
    private readonly backend?: Backend,
  ) {}

  /** Makes the engine start the providers through the lab. Leaves the program's own files, which its hash covers. */
  private async useResident(starter: string): Promise<void> {
    this.residents = await this.lab.startResidents();
    const own = "providers/runtime/process";
    const process = join(this.programDirectory, own);
    const warm = join(this.programDirectory, "resident");
    await mkdir(warm);
    const start = `exec '${starter}' provider '${process}' "$@"`;
    const script = `#!/bin/sh\n[ -z "$PILLAR_LAB_RESIDENT" ] || ${start}\nexec '${process}/pulumi-resource-pulumi-nodejs' "$@"\n`;
    await writeFile(join(warm, "pulumi-resource-pulumi-nodejs"), script, { mode: 0o755 });
    const project = join(this.programDirectory, "Pulumi.yaml");
    await writeFile(project, (await readFile(project, "utf8")).replace(`path: ${own}`, "path: resident"));
  }

  private async initialize(hasPassphrase: boolean): Promise<void> {
    if (hasPassphrase) return void (await this.pulumi(["stack", "init", this.name]));
    const { key, protection } = vaultKey();
    this.key = key;
    await writeFile(this.configFile, stringify(protection, { lineWidth: 0 }));
    await this.pulumi(["stack", "init", this.name, "--secrets-provider", protection.secretsprovider]);
  }

  get programDirectory(): string {
    return join(this.dir, "program");
  }

  get configFile(): string {
    return join(this.programDirectory, `Pulumi.${this.name}.yaml`);
  }

  get env(): Record<string, string> {
    return {
      ...this.toolchain.env,
      PULUMI_BACKEND_URL: this.backend?.url ?? `file://${join(this.dir, "backend")}`,
      ...this.backend?.env,
      PULUMI_CONFIG_PASSPHRASE: this.passphrase,
      NODE_EXTRA_CA_CERTS: certificateFile(this.lab.dir),
      VAULT_ADDR: this.lab.vaultUrl,
      VAULT_TOKEN: "lab",
      PULUMI_STACK: this.name,
      XDG_DATA_HOME: join(this.dir, "data"),
    };
  }

  /** Returns the environment of a run that no test interrupts: the resident processes of the lab serve it. */
  get warmEnv(): Record<string, string> {
    return { ...this.env, ...this.residents };
  }

  /** Returns the operator's directory with the event log of a Pillar. */
  records(pillar: string): string {
    return join(this.dir, "data/pillar-host/records", pillar);
  }

  /** Returns the path of the key that opens the Pillar's backups. */
  backupKey(pillar: string): string {
    return join(this.dir, "data/pillar-host/keys", `${pillar}.age-identity`);
  }

  /** Replaces the plain configuration and sets the secrets (paths like `ssh.privateKey`). */
  async configure(config: StackFile, secrets: Readonly<Record<string, string>> = {}): Promise<void> {
    const { config: _replaced, ...protection } = await this.file();
    const keys = Object.entries(config).map(([key, value]) => [key.includes(":") ? key : `pillar-host:${key}`, value]);
    let values: Record<string, unknown> = Object.fromEntries(keys);
    for (const [path, value] of Object.entries(secrets)) {
      noteSecret(`the secret pillar-host:${path}`, value);
      this.key ??= await openStackKey(protection.encryptionsalt ?? "", this.passphrase);
      values = withSecured(values, path, { secure: this.key.encrypt(value) });
    }
    await writeFile(this.configFile, stringify({ ...protection, config: values }, { lineWidth: 0 }));
  }

  private async file(): Promise<Protection & { config?: Record<string, unknown> }> {
    return parse(await readFile(this.configFile, "utf8").catch(() => "{}"));
  }

  /** Runs pulumi on the operator's machine, in the program's directory, without questions. */
  pulumi<T extends Options>(args: readonly string[], options?: T) {
    return this.run([...args, "--non-interactive"], options);
  }

  /** Runs pulumi with the arguments as typed. */
  run<T extends Options>(args: readonly string[], options?: T) {
    return this.lab.run<T>([this.toolchain.pulumi, ...args], {
      cwd: this.programDirectory,
      env: this.env,
      ...options,
    } as T);
  }

  /** Runs `pulumi up` without its preview, which would run the program once more; never throws. */
  async up(args: readonly string[] = []): Promise<{ exitCode: number; output: string }> {
    return this.operation("up", ["--yes", "--skip-preview", ...args]);
  }

  /** Starts `pulumi up` or `destroy` for a test that interrupts it; {@link endRuns} ends it at the latest. */
  async begin(args: readonly string[] = [], operation: "up" | "destroy" = "up"): Promise<Run> {
    const log = join(this.dir, `run-${this.begun.length}.log`);
    const file = await open(log, "w");
    const [command = "", ...rest] = this.lab.atOperator([this.toolchain.pulumi, operation, ...beginning, ...args]);
    const engine = spawn(command, rest, {
      cwd: this.programDirectory,
      env: { ...process.env, ...this.env },
      // Output goes to a file: a process that outlives the engine would hold a pipe open.
      stdio: ["ignore", file.fd, file.fd],
      // The engine gets its own process group, as in a terminal.
      detached: true,
    });
    await file.close();
    const exitCode = new Promise<number>((resolve) => engine.on("exit", (code) => resolve(code ?? -1)));
    const run = new Run(engine.pid ?? 0, log, exitCode);
    this.begun.push(run);
    return run;
  }

  /** Ends the started runs that still work, with all their processes. */
  async endRuns(): Promise<void> {
    for (const run of this.begun) await run.clear();
  }

  /**
   * Runs `pulumi cancel` after a killed run. The engine's file backend truncates the attributes file next to the state
   * before it writes it anew. If it was killed in between, the empty file can be removed (docs/operating.md).
   */
  async cancel(): Promise<void> {
    const attributes = join(this.dir, "backend/.pulumi/stacks/pillar-host", `${this.name}.json.attrs`);
    if ((await readFile(attributes, "utf8").catch(() => undefined)) === "") await rm(attributes);
    await this.pulumi(["cancel", "--yes"]);
  }

  async preview(args: readonly string[] = []): Promise<{ exitCode: number; output: string }> {
    return this.operation("preview", args);
  }

  /** Runs `pulumi destroy`. @param env typed before the command */
  async destroy(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ exitCode: number; output: string }> {
    return this.operation("destroy", ["--yes", ...args], env);
  }

  private async operation(
    name: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ exitCode: number; output: string }> {
    const options = {
      all: true,
      reject: false,
      stdin: "ignore",
      env: { ...this.warmEnv, ...env },
    } as const;
    const result = await this.pulumi([name, ...args], options);
    const output = String(result.all);
    keepPrinted(output);
    return { exitCode: result.exitCode ?? -1, output };
  }

  /** Returns what `./pillar-host` prints on the operator's machine. @throws if it fails */
  async cli(args: readonly string[]): Promise<string> {
    const { stdout } = await this.lab.run(["./pillar-host", ...args], { cwd: this.programDirectory, env: this.env });
    keepPrinted(stdout);
    return stdout;
  }

  /** Returns the outputs of the last run, without the secrets. */
  async outputs<T = Record<string, unknown>>(): Promise<T> {
    return outputsIn(await this.exported()) as T;
  }

  /** Returns the state as `pulumi stack export` has it. */
  async exported(): Promise<Deployment> {
    const state = await readState(this.env.PULUMI_BACKEND_URL ?? "", this.name);
    if (state !== undefined) return state;
    const { stdout } = await this.pulumi(["stack", "export"]);
    return (JSON.parse(String(stdout)) as { deployment: Deployment }).deployment;
  }

  /** Returns the text of every file that the engine wrote for this stack: state, backups, history, its own logs. */
  async written(): Promise<string> {
    const places = [join(this.dir, "backend"), engineLogs(join(this.dir, "home"))];
    const found = places.map((place) => readdir(place, { recursive: true, withFileTypes: true }).catch(() => []));
    const files = (await Promise.all(found)).flat().filter((file) => file.isFile());
    const texts = files.map(async ({ parentPath, name }) => {
      const bytes = await readFile(join(parentPath, name));
      // Logs of commands without a stack are only compressed; a stack's logs are encrypted with its key.
      return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8");
    });
    return (await Promise.all(texts)).join("\n");
  }
}
