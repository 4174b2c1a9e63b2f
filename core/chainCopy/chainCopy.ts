import { type ChainExcerpt, compareChains } from "../chain/sameChain";
import { openEventLog } from "../eventLog/eventLog";
import type { Clock } from "../util/clock";
import { commandsFor } from "../util/commands";
import { formatProblem } from "../util/problem";
import { formatSize } from "../util/sizeText";
import { formatDuration } from "../util/timeText";
import { parseChainFacts } from "./chainFacts";
import { checkBefore, type NodeAccess } from "./copyChecks";
import { type CopyError, type CopyHosts, cleanUp, openHosts } from "./copyHosts";
import type { ChainCopied, ChainCopyInputs, CopyFacts } from "./inputs";
import { authorizeCopy, engineEnded, takeSnapshot, transfer } from "./transfer";

export interface ChainCopyDeps extends Clock, NodeAccess {
  say(line: string): void;
  /** Aborted when the engine is killed, because then nobody waits for the result. */
  readonly signal?: AbortSignal;
}

const maxCopies = 3;
/** Milliseconds in which the node must add momentums after the copy. */
const progressTimeoutMs = 10 * 60_000;
const pollIntervalMs = 2000;

/**
 * Copies the old host's chain to the new host, and continues where an earlier run stopped (docs/operating.md). Throws
 * what failed; the new host's node then has its own databases.
 */
export async function copyChain(
  inputs: ChainCopyInputs,
  deps: ChainCopyDeps,
  hosts: CopyHosts = openHosts(inputs),
): Promise<ChainCopied> {
  const from = inputs.old.host.ssh.address;
  const log = openEventLog(inputs.record, deps);
  const at = () => new Date(deps.now()).toISOString();
  try {
    await hosts.call("new", "chain_take");
    // Undo what a killed run left: the node runs again with its own databases.
    await hosts.call("new", "chain_undo", {}, { limitSeconds: 1800 });
    const why = await findSyncedReason(inputs, hosts, deps);
    if (why !== undefined) {
      deps.say(`nothing to copy: ${why}`);
      await hosts.call("new", "chain_discard");
      await hosts.call("new", "chain_end_new");
      return { outcome: "notNeeded", at: at(), from };
    }
    let copied: CopyFacts | undefined;
    try {
      await checkBefore(inputs, hosts, deps, deps.say);
      await log.note({ event: "chainCopyBegun", details: { from } });
      copied = await copyUntilGood(inputs, hosts, deps);
    } finally {
      for (const line of await cleanUp(hosts, deps)) deps.say(line);
    }
    if (copied === undefined) return { outcome: "notNeeded", at: at(), from };
    await log.note({ event: "chainCopied", details: copied });
    deps.say(
      `copied ${formatSize(copied.bytes)} in ${formatDuration(copied.seconds * 1000)}, up to momentum ${copied.height}`,
    );
    return { outcome: "copied", at: at(), ...copied };
  } catch (error) {
    const { message, isTaken, isRefused } = error as CopyError;
    throw isTaken || isRefused ? error : new Error(failedText(inputs, message));
  } finally {
    hosts.close();
  }
}

async function findSyncedReason(inputs: ChainCopyInputs, hosts: CopyHosts, deps: ChainCopyDeps) {
  const { address } = inputs.new.host.ssh;
  const { synced } = parseChainFacts(await hosts.call("new", "chain_facts"), address);
  if (synced !== undefined) return `the node of ${address} was synced at ${synced}`;
  return (await deps.readNodeStatus(inputs.new.node)).synced ? `the node of ${address} is synced` : undefined;
}

/** Copies until a copy is good. Returns undefined if the node synced by itself meanwhile. */
async function copyUntilGood(
  inputs: ChainCopyInputs,
  hosts: CopyHosts,
  deps: ChainCopyDeps,
): Promise<CopyFacts | undefined> {
  const began = deps.ticks();
  const found: string[] = [];
  for (let count = 1; count <= maxCopies; count += 1) {
    // Lock the old host again: the lease there may have ended while this run watched the new node.
    await hosts.call("old", "chain_take");
    const snapshot = await takeSnapshot(inputs, hosts, deps);
    deps.say(
      `snapshot of ${snapshot.files} files, ${formatSize(snapshot.bytes)}, at momentum ${snapshot.height}; the old host's node keeps running`,
    );
    await authorizeCopy(inputs, hosts, deps);
    await transfer(inputs, hosts, snapshot, deps);
    // The copy may have taken days: the node may be synced by now.
    if ((await deps.readNodeStatus(inputs.new.node)).synced) {
      deps.say("the new host's node has synced by itself meanwhile: the copy is discarded");
      await hosts.call("new", "chain_discard");
      return undefined;
    }
    const fault = await useCopy(inputs, hosts, snapshot.height, deps);
    if (fault === undefined)
      return {
        from: inputs.old.host.ssh.address,
        ...snapshot,
        seconds: Math.round((deps.ticks() - began) / 1000),
      };
    found.push(fault);
    deps.say(`copy ${count} of ${maxCopies} is discarded: ${fault}`);
    await hosts.call("new", "chain_discard");
  }
  throw new Error(formatProblem({ what: `${maxCopies} copies were bad`, found }));
}

/** Replaces the node's databases with the copy, and returns what is wrong with the copy. */
async function useCopy(
  inputs: ChainCopyInputs,
  hosts: CopyHosts,
  height: number,
  deps: ChainCopyDeps,
): Promise<string | undefined> {
  deps.say("every file is the same on both hosts; the new host's node stops cleanly and starts with the copy");
  await hosts.call("new", "chain_swap", {}, { limitSeconds: 3600 });
  const fault = await waitForProgress(inputs, height, deps);
  await hosts.call("new", fault === undefined ? "chain_accept" : "chain_undo", {}, { limitSeconds: 1800 });
  return fault;
}

/** Waits until the node has added momentums on the old host's chain. Returns what is wrong. */
async function waitForProgress(
  inputs: ChainCopyInputs,
  height: number,
  deps: ChainCopyDeps,
): Promise<string | undefined> {
  const end = deps.ticks() + progressTimeoutMs;
  let last = "it was not asked";
  while (deps.ticks() < end) {
    await deps.sleep(pollIntervalMs);
    if (deps.signal?.aborted) throw new Error(engineEnded);
    try {
      const chains = await deps.readChains(inputs.old.node, inputs.new.node);
      const { verdict, height: at } = compareChains(chains.old, chains.new);
      if (verdict === "other") return `the node is on another chain than the old host's: their momentums ${at} differ`;
      if (verdict === "same" && at > height) {
        deps.say(`the node runs with the copy and added momentum ${at}, the same as the old host's`);
        return undefined;
      }
      last = heightText(chains.new, height);
    } catch (error) {
      last = (error as Error).message;
    }
  }
  // Too few peers are no fault of the copy, and the sync gate waits for them.
  if ((await deps.readNodeStatus(inputs.new.node)).reason === "fewPeers") {
    deps.say("the node runs with the copy, and has too few peers to continue yet");
    return undefined;
  }
  return `the node added no momentum within ${formatDuration(progressTimeoutMs)} of its start with the copy: ${last}`;
}

const heightText = ({ newest }: ChainExcerpt, copied: number) =>
  `the node's height is ${newest.height}; the copy reaches ${copied}`;

function failedText({ stack, new: fresh }: ChainCopyInputs, message: string): string {
  const run = commandsFor(stack);
  return [
    `the chain was not copied: ${message}`,
    `  The node of ${fresh.host.ssh.address} continues with its own databases. The next run copies only what is missing.`,
    `  To go on: ${run.up}`,
    `  Or let the node sync from the network, from what it has: ${run.set("sync.from", "network")} && ${run.up}`,
  ].join("\n");
}
