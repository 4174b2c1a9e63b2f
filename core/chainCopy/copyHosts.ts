import { nodeDatabases } from "../chain/nodeDatabases.ts";
import type { EventDetails } from "../eventLog/events.ts";
import { type FactGroup, readHostFacts } from "../host/facts.ts";
import { isBroken, RootPair, type WhichHost } from "../host/rootPair.ts";
import { markOwn } from "../ssh/foreign.ts";
import { openRoot, type RootHost } from "../ssh/root.ts";
import { takeFirstLine } from "../util/printable.ts";
import { hasKind } from "../util/problem.ts";
import type { ChainCopyInputs } from "./copyInputs.ts";
import type { CopyDeps } from "./copyNodes.ts";

/** Facts of a copy, as in the event log. */
export type CopyFacts = EventDetails["chainCopied"];

/** The height at which a node stands still; undefined if it does not answer. */
export type Standstill = Readonly<{ height?: number | undefined }>;

export interface CopyRun extends CopyDeps {
  readonly inputs: ChainCopyInputs;
  readonly hosts: Pick<RootPair, "call" | "follow" | "takeLease" | "close">;
  /** Set if the new host has passed its gate, and its node stands still. */
  readonly standstill?: Standstill;
}

/** Hours for which the new host may read the snapshot: enough for the slowest line. */
export const copyHours = 24;

/** Opens both hosts. Every call passes the copy's common variables to the library. */
export function openHosts(inputs: ChainCopyInputs) {
  const { address, port } = inputs.copy;
  const seconds = inputs.momentum / 1000;
  const roots = { old: openRoot(inputs.old.host, inputs.library), new: openRoot(inputs.new.host, inputs.library) };
  return new RootPair(roots, { what: "a copy of its chain", stack: inputs.stack }, ({ side }) => {
    const { service, dataDir, node } = inputs[side];
    return markOwn({
      stack_identity: inputs.identity,
      service,
      data_dir: dataDir,
      rpc_address: node.address,
      rpc_port: node.port,
      login_user: inputs.old.host.ssh.user,
      copy_address: address,
      copy_port: port,
      copy_hours: copyHours,
      other_host_key: inputs.old.host.ssh.hostKey,
      momentum_seconds: seconds,
      quiet_seconds: Math.min(3, seconds / 4),
      limit_mbps: inputs.limitMbps,
    });
  });
}

/** Reads facts of a host of the copy. */
export function readCopyFacts<N extends FactGroup>({ inputs, hosts }: CopyRun, side: WhichHost, names: readonly N[]) {
  const { address } = inputs[side].host.ssh;
  const call: RootHost["call"] = (name, variables, options) => hosts.call({ side, name, variables, ...options });
  return readHostFacts({ address, call }, names, { chain_databases: nodeDatabases, tools: neededTools });
}

const neededTools = ["tar", "perl", "sha256sum", "find", "flock", "ssh-keygen", "ssh", "wget", "base64"];

/** Milliseconds for which a broken connection is retried while no data arrives: a host may reboot. */
export const stallTimeoutMs = 15 * 60_000;
const retryDelayMs = 5000;

/** Repeats a call for this long while the connection breaks. An aborted `signal` ends that. */
export async function retryIfBroken<T>(
  { ticks, sleep, signal }: Pick<CopyRun, "ticks" | "sleep" | "signal">,
  call: () => Promise<T>,
  timeoutMs = stallTimeoutMs,
): Promise<T> {
  const end = ticks() + timeoutMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isBroken(error) || signal?.aborted || ticks() >= end) throw error;
      await sleep(retryDelayMs);
    }
  }
}

/** Removes all of the copy from both hosts except what has arrived, and says what could not be removed. Never throws. */
export async function cleanUp(run: CopyRun): Promise<void> {
  const end = (side: WhichHost) => run.hosts.call({ side, name: `chain_end_${side}`, limitSeconds: 1800 });
  const endSoon = (side: WhichHost) =>
    retryIfBroken(run, () => end(side), 2 * retryDelayMs).catch((error: Error) => {
      const what = `the ${side} host could not be cleaned up: ${takeFirstLine(error.message)}`;
      if (!hasKind(error, "anotherRun")) run.say(`${what}; the host does so by itself, or the next run does`);
    });
  await Promise.all([endSoon("old"), endSoon("new")]);
}
