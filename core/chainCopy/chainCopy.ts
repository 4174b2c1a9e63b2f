import { compareChains } from "../chain/sameChain.ts";
import { openEventLog } from "../eventLog/eventLog.ts";
import { commandsFor } from "../util/commands.ts";
import { hasKind, ProblemError } from "../util/problem.ts";
import { formatDuration, formatSize } from "../util/timeText.ts";
import { watchStandstill } from "./copyAgain.ts";
import { checkBefore } from "./copyChecks.ts";
import { type CopyFacts, type CopyRun, cleanUp, openHosts, readCopyFacts, type Standstill } from "./copyHosts.ts";
import type { ChainCopyInputs } from "./copyInputs.ts";
import type { CopyDeps } from "./copyNodes.ts";
import { authorizeCopy, engineEnded, takeSnapshot, transfer } from "./transfer.ts";

/** Output of a chain copy. `notNeeded`: the new host's node was already synced. */
export interface ChainCopied {
  readonly outcome: "copied" | "notNeeded";
}

const maxCopies = 3;
/** Milliseconds in which the node must add momentums after the copy. */
const progressTimeoutMs = 10 * 60_000;
const pollIntervalMs = 2000;

/**
 * Copies the old host's chain to the new host, and continues where an earlier run stopped (docs/sync.md). Throws
 * what failed; the new host's node then has its own databases.
 */
export async function copyChain(
  inputs: ChainCopyInputs,
  deps: CopyDeps,
  hosts: CopyRun["hosts"] = openHosts(inputs),
): Promise<ChainCopied> {
  let run: CopyRun = { ...deps, inputs, hosts };
  const from = inputs.old.host.ssh.address;
  const log = openEventLog(inputs.log, deps);
  try {
    await hosts.takeLease({ side: "new", name: "chain_take" }, deps);
    // Undo what a killed run left: the node runs again with its own databases.
    await hosts.call({ side: "new", name: "chain_undo", limitSeconds: 1800 });
    const found = await findStandstill(run);
    if (found !== undefined && "keeps" in found) {
      deps.say(`nothing to copy: ${found.keeps}`);
      await hosts.call({ side: "new", name: "chain_discard" });
      await hosts.call({ side: "new", name: "chain_end_new" });
      return { outcome: "notNeeded" };
    }
    run = { ...run, standstill: found };
    let copied: CopyFacts | undefined;
    try {
      await checkBefore(run);
      await log.note({ event: "chainCopyBegun", details: { from, confirmed: found && inputs.again?.word } });
      copied = await copyUntilGood(run);
    } finally {
      await cleanUp(run);
    }
    if (copied === undefined) return { outcome: "notNeeded" };
    await log.note({ event: "chainCopied", details: copied });
    deps.say(
      `copied ${formatSize(copied.bytes)} in ${formatDuration(copied.seconds * 1000)}, up to momentum ${copied.height}`,
    );
    if (found) deps.say(`the confirmation was used. Remove it: ${commandsFor(inputs.stack).remove("sync.copyAgain")}`);
    return { outcome: "copied" };
  } catch (error) {
    throw hasKind(error, "anotherRun", "refusedCopy") ? error : createCopyError(inputs, (error as Error).message);
  } finally {
    hosts.close();
  }
}

/** Returns why the new node keeps its databases, or where it stands still. Undefined on a host before its gate. */
async function findStandstill(run: CopyRun): Promise<Standstill | { readonly keeps: string } | undefined> {
  const { inputs, readNodeStatus } = run;
  const { address } = inputs.new.host.ssh;
  const { marks } = await readCopyFacts(run, "new", ["marks"]);
  const { synced } = marks;
  if (synced === undefined)
    return (await readNodeStatus("new")).synced ? { keeps: `the node of ${address} is synced` } : undefined;
  if (inputs.again === undefined) return { keeps: `the node of ${address} was synced at ${synced}` };
  return watchStandstill(run, inputs.again, synced);
}

/** Returns why a copy that has arrived is not needed any more: it may have taken days. */
async function findRecovery({ standstill, readNodeStatus }: CopyRun): Promise<string | undefined> {
  const { synced, currentHeight = standstill?.height } = await readNodeStatus("new");
  if (synced) return "has synced by itself meanwhile";
  return standstill && currentHeight !== standstill.height ? `is at height ${currentHeight} meanwhile` : undefined;
}

/** Copies until a copy is good. Returns undefined if the node synced by itself meanwhile. */
async function copyUntilGood(run: CopyRun): Promise<CopyFacts | undefined> {
  const { hosts, say, ticks } = run;
  const began = ticks();
  const found: string[] = [];
  for (let count = 1; count <= maxCopies; count += 1) {
    // Again for each copy: the lease there may have ended while this run watched the new node.
    await hosts.takeLease({ side: "old", name: "chain_take" }, run);
    const snapshot = await takeSnapshot(run);
    say(
      `snapshot of ${snapshot.files} files, ${formatSize(snapshot.bytes)}, at momentum ${snapshot.height}; the old host's node keeps running`,
    );
    await authorizeCopy(run);
    await transfer(run, snapshot);
    const recovery = await findRecovery(run);
    if (recovery !== undefined) {
      say(`the new host's node ${recovery}: the copy is discarded`);
      await hosts.call({ side: "new", name: "chain_discard" });
      return undefined;
    }
    say("every file is the same on both hosts; the new host's node stops cleanly and starts with the copy");
    await hosts.call({ side: "new", name: "chain_swap", limitSeconds: 3600 });
    const fault = await waitForProgress(run, snapshot.height);
    await hosts.call({ side: "new", name: fault === undefined ? "chain_accept" : "chain_undo", limitSeconds: 1800 });
    const seconds = Math.round((ticks() - began) / 1000);
    if (fault === undefined) return { from: run.inputs.old.host.ssh.address, ...snapshot, seconds };
    found.push(fault);
    say(`copy ${count} of ${maxCopies} is discarded: ${fault}`);
    await hosts.call({ side: "new", name: "chain_discard" });
  }
  throw new ProblemError({ what: `${maxCopies} copies were bad`, found });
}

/** Waits until the node has added momentums on the old host's chain. Returns what is wrong. */
async function waitForProgress(run: CopyRun, copied: number): Promise<string | undefined> {
  const end = run.ticks() + progressTimeoutMs;
  let last = "it was not asked";
  while (run.ticks() < end) {
    await run.sleep(pollIntervalMs);
    if (run.signal?.aborted) throw new Error(engineEnded);
    try {
      const chains = await run.readChains();
      const { verdict, height } = compareChains(chains.old, chains.new);
      if (verdict === "other")
        return `the node is on another chain than the old host's: their momentums ${height} differ`;
      if (verdict === "same" && height > copied) {
        run.say(`the node runs with the copy and added momentum ${height}, the same as the old host's`);
        return undefined;
      }
      last = `the node's height is ${chains.new.newest.height}; the copy reaches ${copied}`;
    } catch (error) {
      last = (error as Error).message;
    }
  }
  // Too few peers are no fault of the copy, and the sync gate waits for them.
  if ((await run.readNodeStatus("new")).reason === "fewPeers") {
    run.say("the node runs with the copy, and has too few peers to continue yet");
    return undefined;
  }
  return `the node added no momentum within ${formatDuration(progressTimeoutMs)} of its start with the copy: ${last}`;
}

function createCopyError({ stack, new: fresh }: ChainCopyInputs, message: string): Error {
  const { up, set } = commandsFor(stack);
  return new ProblemError({
    what: `the chain was not copied: ${message}`,
    next: [
      `The node of ${fresh.host.ssh.address} continues with its own databases. The next run copies only what is missing.`,
      `To go on: ${up}`,
      `Or let the node sync from the network, from what it has: ${set("sync.from", "network")} && ${up}`,
    ],
  });
}
