import type { Observation } from "../../core/chain/node";
import { createProxyLogin } from "../../core/ssh/configuredLogin";
import { readPresentedKey } from "../../core/ssh/presentedKey";
import { isFatal } from "../../core/ssh/sshErrors";
import type { SyncProgress } from "../../core/sync/progress";
import { type GiveUpError, type SyncResult, waitForSync } from "../../core/sync/waitForSync";
import { formatProblem } from "../../core/util/problem";
import { CliRefusal, refusalExitCode } from "../terminal/refusal";
import { decideAttention, decideExitCode } from "./attention";
import { createGateOptions, type HostReader, openHostReader } from "./hostReader";
import { createView, type StackWithHost } from "./openStack";
import type { ReadStack } from "./overview";
import { readParts } from "./parts/readParts";
import { createUnknownParts, type StatusParts } from "./parts/statusParts";

/** Reads a stack's host over a new connection. @throws CliRefusal */
export async function readStatusOnce(source: StackWithHost, hostKey: string): Promise<ReadStack> {
  const host = openHostReader(source, hostKey);
  try {
    return await readStatus(source, hostKey, host, () => readSync(source, host));
  } finally {
    host.close();
  }
}

/** Reads the key of a host whose key is unknown, and nothing else: without the key, no login is safe. */
export async function readUnknownHost(source: StackWithHost): Promise<ReadStack> {
  const { stack, address, config } = source;
  const view = await createView(source);
  const current = { ...view, parts: createUnknownParts(view.lifecycle, "its host key is unknown") };
  const shown = await readPresentedKey(address, config.ssh.port, createProxyLogin(config.ssh));
  if ("fault" in shown) {
    const needed = "set pillar-host:host.address to a running host, and pillar-host:ssh.port to its ssh port";
    const lines = [formatProblem({ what: `\n${shown.fault}`, needed })];
    return { stack, view: current, exitCode: refusalExitCode, lines };
  }
  const lines = [
    `\n${address} was not read: its host key is neither configured nor recorded yet, so no login is safe.`,
    `The host presents ${shown.fingerprint}. Compare this with your provider's console; the next run records it.`,
  ];
  return { stack, view: current, exitCode: 1, lines };
}

/** Reads node, facts and all parts at once, over one connection. @throws CliRefusal */
export async function readStatus(
  source: StackWithHost,
  hostKey: string,
  host: HostReader,
  readProgress: () => Promise<SyncReading>,
): Promise<ReadStack> {
  const { stack } = source;
  const [view, facts, parts, reading] = await Promise.all([
    createView(source),
    host.readFacts(),
    readParts(source, hostKey, host),
    readProgress(),
  ]);
  const { sync, proof, unreachable } = reading;
  const synced = proof !== undefined;
  if (unreachable === undefined) {
    const current = { ...view, sync, synced, facts, parts };
    return { stack, view: current, exitCode: decideExitCode(decideAttention(current)), lines: [], proof };
  }
  // All parts that need the host get one reason. Answers of other nodes stay.
  const otherParts = { ...createUnknownParts(view.lifecycle, "the host does not answer"), ...keepAnswers(parts) };
  const current = { ...view, sync, synced, parts: otherParts };
  return { stack, view: current, exitCode: refusalExitCode, lines: formatUnreachable(source, unreachable) };
}

export function keepAnswers(parts: StatusParts): object {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part && "value" in part));
}

export interface SyncReading {
  readonly sync: SyncProgress | undefined;
  readonly proof?: SyncResult;
  readonly unreachable?: string | undefined;
}

/** Reads the sync like the gate with `sync.wait: check`: until the proof, or the first lookup that is not good. */
export async function readSync(source: StackWithHost, { deps }: HostReader): Promise<SyncReading> {
  let sync: SyncProgress | undefined;
  const seen = (progress: SyncProgress) => {
    sync = progress;
  };
  try {
    const proof = await waitForSync(createGateOptions(source, "check"), { ...deps, seen, say: () => undefined });
    return { sync, proof };
  } catch (error) {
    if (isFatal(error)) throw new CliRefusal((error as Error).message);
    const { gaveUp } = error as Partial<GiveUpError>;
    if (!gaveUp) throw error;
    return { sync, unreachable: findUnreachableReason(gaveUp.last) };
  }
}

/** Returns why the host itself could not be reached, or undefined. */
function findUnreachableReason(last: Observation | undefined): string | undefined {
  return last?.kind === "none" && last.unreachable === true ? last.reason : undefined;
}

/** Reads the sync of a watched host. Waits like the gate until the first proof, because one lookup gives no rate. */
export function followSync(source: StackWithHost, host: HostReader, changed: (sync: SyncProgress) => void) {
  let sync: SyncProgress | undefined;
  let proof: SyncResult | undefined;
  let isShown = false;
  let setSeen = () => {};
  const firstLookup = new Promise<void>((resolve) => {
    setSeen = resolve;
  });
  const seen = (progress: SyncProgress) => {
    sync = progress;
    setSeen();
    changed(progress);
  };
  const proved = waitForSync(createGateOptions(source, "block"), { ...host.deps, seen, say: () => undefined }).then(
    (result) => {
      proof = result;
    },
    (error: unknown) => {
      throw isFatal(error) ? new CliRefusal((error as Error).message) : error;
    },
  );
  proved.catch(setSeen);
  return {
    /** Resolves with the first proof. @throws CliRefusal for a problem that a retry does not solve */
    proved,
    read: async (): Promise<SyncReading> => {
      if (isShown) return readSync(source, host);
      await Promise.race([proved, firstLookup]);
      isShown = proof !== undefined;
      return { sync, proof, unreachable: findUnreachableReason(sync?.observation) };
    },
  };
}

function formatUnreachable({ address, config: { ssh } }: StackWithHost, reason: string): string[] {
  const needed = `start the host, or fix the connection; try: ssh -p ${ssh.port} ${ssh.user}@${address}`;
  return [formatProblem({ what: `\n${address} could not be reached: ${reason}`, needed })];
}
