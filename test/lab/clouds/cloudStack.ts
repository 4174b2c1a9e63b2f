import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { cp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { OrderRecord } from "../../../core/cloud/orderRecord.ts";
import type { CloudName } from "../../../lab/clouds/names.ts";
import { serveVault } from "../../../lab/doubles/vault.ts";
import { endProcess, startDetached } from "../../../lab/hosts/machine.ts";
import { Lab } from "../../../lab/lab.ts";
import { residentsIn } from "../../../lab/stack/residents.ts";
import { LabStack, type StackFile } from "../../../lab/stack/stack.ts";
import { createKeyPair } from "../../../providers/hostKey.ts";
import { fakeNode, synced } from "../../core/chain/fakes.ts";
import { expectFailure, expectSuccess } from "../fixture.ts";
import { serveCloud } from "./servedCloud.ts";

/** The plugin's key of a cloud's endpoint. */
export const endpointKeys = { hetzner: "hcloud:endpoint", digitalocean: "digitalocean:apiEndpoint" } as const;

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
const made = ["host", "hcloud", "digitalocean", "tag", "host-key", "ssh-key", "firewall", "server", "server-order"];

const toServer = ["--skip-preview", ...made.flatMap((name) => ["--target", `**::${name}`])];

/** Waits for a fact. */
export async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo).toBe(true);
}

/** Makes cloud and stack before the tests of a file, heals the faults after each, and takes all down at the end. */
export function cloudStage(provider: CloudName, locations?: readonly string[]): CloudStack {
  const stage = {} as CloudStack;
  beforeAll(async () => {
    Object.assign(stage, await cloudStack(provider, locations ? { locations } : {}));
  }, 900_000);
  afterEach(() => stage.cloud.account.faults.clear());
  afterAll(() => stage.close?.());
  return stage;
}

/** Creates a cloud's API on loopback without machines, and a stack of the program that has its host there. */
async function cloudStack(provider: CloudName, host: StackFile) {
  const dir = mkdtempSync(join(tmpdir(), "cloud-stack-"));
  const cloud = await serveCloud(provider, { actionMs: 200 });
  const { account } = cloud;
  const ofNow =
    (method: string) =>
    (...params: readonly unknown[]) => {
      const given = synced()[method];
      return typeof given === "function" ? given(...params) : given;
    };
  // Says that nobody registered the Pillar: a server that no run logged in to may go then.
  const reference = await fakeNode({
    "ledger.getFrontierMomentum": ofNow("ledger.getFrontierMomentum"),
    "ledger.getMomentumsByHeight": ofNow("ledger.getMomentumsByHeight"),
    "embedded.pillar.getByName": null,
  });
  const file = (changes: StackFile, hostChanges: StackFile): StackFile => ({
    pillar: { name: "Anvil" },
    host: { provider, token: "set below", ...host, sshFrom: ["198.51.100.7/32"], ...hostChanges },
    controller: { release: { url: "https://release.example/node-controller.zip" } },
    sync: { unverifiedChain: "acknowledged" },
    retirement: { references: [`http://127.0.0.1:${reference.port}`] },
    [endpointKeys[provider]]: cloud.endpoint,
    ...changes,
  });
  const secrets = { "ssh.privateKey": createKeyPair().privateKey, "host.token": cloud.token };
  const vault = await serveVault({ host: "127.0.0.1", port: 0 });
  const vaultUrl = `http://127.0.0.1:${(vault.address() as AddressInfo).port}`;
  const { command, env } = await residentsIn(dir);
  const residents = await startDetached(command, join(dir, "residents.log"));
  // An engine on loopback needs only this part of a lab.
  const part = {
    dir,
    vaultUrl,
    atOperator: (typed: readonly string[]) => [...typed],
    run: Lab.prototype.run,
    startResidents: async () => env,
  };
  const stack = await LabStack.create(part as unknown as Lab, "prod", file({}, {}), secrets);
  const [backend, untouched] = [join(stack.dir, "backend"), join(dir, "untouched")];
  await cp(backend, untouched, { recursive: true });
  const attempts = join(stack.records("Anvil"), "orders-prod-Anvil.json");
  return {
    cloud,
    stack,
    /** Replaces the configuration; token and key stay. */
    configure: (changes: StackFile, hostChanges: StackFile = {}) =>
      stack.configure(file(changes, hostChanges), secrets),
    /** Runs `pulumi up` of the server and its dependencies, without a connection to it. */
    upToServer: () => stack.up(toServer),
    /** Runs `pulumi refresh`, which removes vanished resources from the state. */
    refresh: async () => void (await stack.pulumi(["refresh", "--yes", "--skip-preview"])),
    servers: () => [...account.servers.values()],
    /** Counts servers, firewalls, keys and tags. */
    left: () => [account.servers, account.firewalls, account.keys, account.tags].map(({ size }) => size),
    /** Resets cloud and stack to before the first run, without a destroy. */
    anew: async () => {
      account.clear();
      for (const path of [backend, attempts]) await rm(path, { recursive: true, force: true });
      await cp(untouched, backend, { recursive: true });
      await stack.configure(file({}, {}), secrets);
    },
    /** Kills the engine alone once this is true, as a crash does, and unlocks the stack. */
    killUpToServer: async (once: () => boolean) => {
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
    /** Reads the record of orders beside the stack's file, or undefined. */
    record: async () => {
      const text = await readFile(attempts, "utf8").catch(() => undefined);
      return text === undefined ? undefined : (JSON.parse(text) as OrderRecord);
    },
    close: async () => {
      await endProcess(residents);
      endStrays(dir);
      cloud.close();
      await reference.close();
      vault.closeAllConnections();
      vault.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

type CloudStack = Awaited<ReturnType<typeof cloudStack>>;

/** Retires the stack, and expects `destroy` to leave nothing at the cloud. */
export async function destroyAll({ configure, stack, left }: CloudStack): Promise<void> {
  await configure({ lifecycle: "retiring" });
  const up = await expectSuccess(stack.up(["--skip-preview"]));
  expect(up).toContain("  pulumi destroy -s prod");
  await expectSuccess(stack.destroy(["--skip-preview"]));
  expect(left()).toEqual([0, 0, 0, 0]);
}

/** Orders a server as somebody else, and adopts it: expects no change of it, and protection against a destroy. */
export async function adoptForeign({ cloud, configure, stack, servers }: CloudStack, path: string, order: object) {
  await cloud.ask("POST", path, order);
  await until(() => servers()[0]?.status === "running");
  for (const one of servers()) one.isProtected = true;
  const facts = () => [structuredClone(servers()), cloud.requests.filter(({ method }) => method !== "GET").length];
  const before = facts();
  const importId = servers()[0]?.id ?? 0;
  await configure({ lifecycle: "adopted" }, { importId });
  // The server alone: nobody is there who could be logged in to.
  const adopting = ["--target", "**::host", "--target", "**::adopted-server"];
  await expectSuccess(stack.up(adopting));
  expect((await stack.up(adopting)).output).toMatch(/\d+ unchanged/);
  expect((await stack.destroy()).output).toContain("because it is protected");
  await configure({ lifecycle: "retiring" }, { importId });
  const refused = await expectFailure(stack.up());
  expect(refused).toContain("- no successor of this host is configured");
  expect((await stack.destroy()).output).toContain("because it is protected");
  expect(facts()).toEqual(before);
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
