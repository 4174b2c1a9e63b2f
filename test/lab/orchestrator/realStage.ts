import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { zipSync } from "fflate";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { officialName } from "../../../lab/doubles/release.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { neededReal } from "../../../lab/real/realPrograms.ts";
import { setUpRealSigner, setUpWorld, worldOf } from "../../../lab/real/realSigner.ts";
import type { LabStack, StackFile } from "../../../lab/stack/stack.ts";
import { expectSuccess, onHost, testLab, testStack } from "../fixture.ts";
import { moveConfig } from "./moveStage.ts";

/** A message and its signature, in an orchestrator's log. */
export const signature = /0\. msg: (\S+) sig: (\S+)/;

/** Three real orchestrators that have made a key together, of which the one on `old` is to move to `fresh`, a stack's host. */
export interface RealStage {
  readonly lab: Lab;
  readonly stack: LabStack;
  readonly hosts: Readonly<Record<"old" | "fresh" | "second" | "third", LabHost>>;
  /** The moving one's. */
  readonly passphrase: string;
  /** Requests of the bridge to sign, for the world. */
  readonly wraps: string;
  /** The real executable's, served in the lab. */
  readonly release: { readonly url: string; readonly sha256: string; readonly version: string };
}

/** Sets the stage before the tests of a block. */
export function realStage(): RealStage {
  const stage: { -readonly [K in keyof RealStage]?: RealStage[K] } = {};
  beforeAll(async () => {
    const lab = await testLab();
    stage.lab = lab;
    const made = async (name: string) => lab.addHost(name, ensurePackagedImage);
    const hosts = { old: await made("old"), fresh: await made("fresh"), second: await made("second") };
    const { old, fresh, second } = hosts;
    const third = await made("third");
    stage.hosts = { ...hosts, third };
    const at = { 1: old.address, 2: second.address, 3: third.address };
    stage.wraps = (await setUpWorld(second)).wraps;
    // The node's double and the signers' world are two chains: both have the key of the signers.
    await lab.chain("PATCH", "/bridge", { compressedTssECDSAPubKey: (await worldOf(second)).Comp });
    stage.passphrase = await setUpRealSigner(old, 1, second.address, { 2: at[2], 3: at[3] });
    await setUpRealSigner(second, 2, second.address, { 1: at[1], 3: at[3] });
    await setUpRealSigner(third, 3, second.address, { 1: at[1], 2: at[2] });
    for (const host of [old, second, third]) await onHost(host, "systemctl start orchestrator");
    for (const host of [old, second, third]) await opens(host);
    const archive = await officialArchive();
    await lab.releases("PUT", "/real-orchestrator.zip", archive);
    const sha256 = createHash("sha256").update(archive).digest("hex");
    stage.release = { url: lab.releaseUrl("real-orchestrator"), sha256, version: "v0.0.9a" };
    await lab.chain("PATCH", "/truth", { defaults: { behind: 0, rate: 1e6, startRefusedMs: 0 } });
    stage.stack = await testStack(lab, fresh);
    await configureReal(stage as RealStage);
    await expectSuccess(stage.stack.up());
  });
  afterAll(async () => {
    await stage.stack?.endRuns();
    await stage.lab?.down();
  });
  return stage as RealStage;
}

/** Packs the real executable as its project does. */
async function officialArchive(): Promise<Buffer> {
  const executable = new Uint8Array(await readFile(await neededReal("orchestrator")));
  const attributes = { os: 3, attrs: 0o100755 * 0x10000, level: 1 as const };
  return Buffer.from(zipSync({ [officialName]: [executable, attributes] }));
}

/**
 * Replaces a stack's configuration; the operator's key stays. The old host has no node that could confirm the new
 * host's chain.
 */
export async function configureReal(
  { lab, stack, hosts, release }: RealStage,
  more: StackFile = {},
  fresh = hosts.fresh,
  configured = stack,
): Promise<void> {
  const file = moveConfig(
    { lab, old: hosts.old, fresh, withSudo: false, bare: false, word: {} },
    { release, steadySeconds: 12, ...more },
  );
  const sync = { ...(file.sync as object), unverifiedChain: "acknowledged" };
  await configured.configure({ ...file, sync }, { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") });
}

/** Asks an orchestrator; no more than its limit allows. */
export async function ask(host: LabHost, method: string): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ method, params: [] });
  const said = await onHost(host, `sleep 1; curl -s -d '${body}' http://127.0.0.1:55000`);
  return (JSON.parse(said) as { result: Record<string, unknown> }).result;
}

/**
 * Waits until an orchestrator's RPC is open: it searches its peers in rounds of up to half a minute, ten times at most.
 */
export async function opens(host: LabHost): Promise<void> {
  const listening = async () => expect(await onHost(host, "ss -Hltn 'sport = :55000'"), host.name).not.toBe("");
  await vi.waitFor(listening, { timeout: 360_000, interval: 500 });
}

/** Reads an orchestrator's log lines since a time. */
export function logOf(host: LabHost, since: Date): Promise<string> {
  const at = `@${Math.floor(since.getTime() / 1000)}`;
  return onHost(host, `journalctl -u orchestrator -o cat --no-pager --since ${at}`);
}
