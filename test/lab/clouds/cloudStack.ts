import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { cp, readFile, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OrderRecord } from "../../../core/cloud/orderRecord";
import { serveVault } from "../../../lab/doubles/vault";
import type { Lab } from "../../../lab/lab";
import { LabStack, type StackFile } from "../../../lab/stack/stack";
import { createKeyPair } from "../../../providers/hostKey";

/** A cloud's API on loopback without machines, and a stack of the program that has its host there. */
export interface CloudStack {
  readonly stack: LabStack;
  readonly url: string;
  /** The operator's key. */
  readonly privateKey: string;
  /** Replaces the configuration; token and key stay. */
  configure(changes: StackFile, host?: StackFile): Promise<void>;
  /** Reads the record of orders beside the stack's file, or undefined. */
  record(): Promise<OrderRecord | undefined>;
  /** Runs `pulumi up` of the server and its dependencies, without a connection to it. */
  upToServer(args?: readonly string[]): Promise<{ exitCode: number; output: string }>;
  /** Runs `pulumi refresh`, which removes vanished resources from the state. */
  refresh(): Promise<void>;
  /** Resets the stack to before its first run; the caller removes its resources from the cloud. */
  forget(): Promise<void>;
  /** Kills the engine alone once this is true, as a crash does, and unlocks the stack. */
  killUpToServer(once: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Keeps the engine's output of all runs of a test file, for a search at the end. */
export function keeper() {
  const said: string[] = [];
  return {
    said,
    kept: async <T extends { readonly output: string }>(run: Promise<T>): Promise<T> => {
      said.push((await run).output);
      return run;
    },
  };
}

/** Resources that `up` creates before any connection. */
const made = ["host", "hcloud", "digitalocean", "tag", "host-key", "ssh-key", "firewall", "server", "login-key"];

const toServer = ["--skip-preview", ...made.flatMap((name) => ["--target", `**::${name}`])];

/** Waits for a fact, for a minute and a half. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let left = 450; !isSo(); left -= 1) {
    if (left === 0) throw new Error(`it never came to ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

export interface CloudStackOptions {
  readonly handler: RequestListener;
  /** The namespace of the plugin's keys. */
  readonly endpoint: (url: string) => StackFile;
  readonly host: StackFile;
  readonly token: string;
}

export async function cloudStack({ handler, endpoint, host, token }: CloudStackOptions): Promise<CloudStack> {
  const dir = mkdtempSync(join(tmpdir(), "cloud-stack-"));
  const server = createServer(handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = createKeyPair();
  const file = (changes: StackFile, hostChanges: StackFile): StackFile => ({
    pillar: { name: "Anvil" },
    host: { ...host, sshFrom: ["198.51.100.7/32"], ...hostChanges },
    controller: { release: { url: "https://release.example/node-controller.zip" } },
    sync: { unverifiedChain: "acknowledged" },
    ...endpoint(url),
    ...changes,
  });
  const secrets = { "ssh.privateKey": privateKey, "host.token": token };
  const vault = await serveVault({ host: "127.0.0.1", port: 0 });
  const vaultUrl = `http://127.0.0.1:${(vault.address() as AddressInfo).port}`;
  // An engine on loopback needs only this part of a lab.
  const lab = { dir, vaultUrl, atOperator: (command: readonly string[]) => [...command] } as unknown as Lab;
  const stack = await LabStack.create(lab, "prod", file({}, {}), secrets);
  const [backend, untouched] = [join(stack.dir, "backend"), join(dir, "untouched")];
  await cp(backend, untouched, { recursive: true });
  const attempts = join(stack.records("Anvil"), "orders-prod-Anvil.json");
  return {
    stack,
    url,
    privateKey,
    configure: (changes, hostChanges = {}) => stack.configure(file(changes, hostChanges), secrets),
    upToServer: (args = []) => stack.up([...toServer, ...args]),
    refresh: async () => void (await stack.pulumi(["refresh", "--yes", "--skip-preview"])),
    forget: async () => {
      for (const path of [backend, attempts]) await rm(path, { recursive: true, force: true });
      await cp(untouched, backend, { recursive: true });
      await stack.configure(file({}, {}), secrets);
    },
    killUpToServer: async (once) => {
      // Processes that a killed engine leaves hold its output open, so it is not read.
      const running = stack.pulumi(["up", "--yes", ...toServer], { stdio: "ignore", reject: false });
      try {
        await until(once);
      } finally {
        running.kill("SIGKILL");
      }
      await running;
      await stack.cancel();
    },
    record: async () => {
      const text = await readFile(attempts, "utf8").catch(() => undefined);
      return text === undefined ? undefined : (JSON.parse(text) as OrderRecord);
    },
    close: async () => {
      endStrays(dir);
      for (const each of [server, vault]) {
        each.closeAllConnections();
        each.close();
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Ends the processes of a killed engine: they have their own groups, and this directory in their environment. */
function endStrays(dir: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, "utf8").includes(dir)) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}
