import crypto from "node:crypto";
import { compareChains, type ShownChain } from "../chain/sameChain";
import { openEventLog } from "../eventLog/eventLog";
import type { Clock } from "../util/clock";
import { commandsFor } from "../util/commands";
import { sizeText } from "../util/sizeText";
import { durationText } from "../util/timeText";
import { checkBefore, type NodeLooks } from "./before";
import { parseChainFacts } from "./facts";
import type { ChainCopied, ChainCopyInputs, CopyFacts } from "./inputs";
import { hashOfFiles } from "./lists";
import { type ChainSides, openSides, type SideError } from "./sides";
import { tidy } from "./tidy";
import { giveRight, takeSnapshot, travel } from "./travel";

export interface ChainCopyDeps extends Clock, NodeLooks {
  say(line: string): void;
  /** Aborted when the engine is killed, because then nobody waits for the result. */
  readonly signal?: AbortSignal;
}

const copies = 3;
/** Milliseconds in which the node must add momentums after the copy. */
const followWithin = 10 * 60_000;
const lookEvery = 2000;

/**
 * Copies the old host's chain to the new host, and continues where an earlier run stopped (docs/operating.md). Throws
 * what failed; the new host's node then has its own databases.
 */
export async function copyChain(
  inputs: ChainCopyInputs,
  deps: ChainCopyDeps,
  sides: ChainSides = openSides(inputs, crypto.randomBytes(8).toString("hex")),
): Promise<ChainCopied> {
  const from = inputs.old.host.ssh.address;
  const log = openEventLog(inputs.record, deps);
  const withOutcome = <T extends object>(outcome: ChainCopied["outcome"], facts: T) => ({
    outcome,
    at: new Date(deps.now()).toISOString(),
    ...facts,
  });
  try {
    await sides.call("new", "chain_take");
    // Undo what a killed run left: the node runs again with its own databases.
    await sides.call("new", "chain_undo", {}, { limitSeconds: 1800 });
    const why = await syncedAlready(inputs, sides, deps);
    if (why !== undefined) {
      deps.say(`nothing to copy: ${why}`);
      await sides.call("new", "chain_discard");
      await sides.call("new", "chain_end_new");
      return withOutcome("notNeeded", { from });
    }
    let copied: CopyFacts | undefined;
    let leftovers: string[] = [];
    try {
      await checkBefore(inputs, sides, deps, deps.say);
      await log.note({ event: "chainCopyBegun", details: { from } });
      copied = await copyTries(inputs, sides, deps);
    } finally {
      leftovers = await tidy(sides, deps);
    }
    for (const line of leftovers) deps.say(line);
    if (copied === undefined) return withOutcome("notNeeded", { from });
    await log.note({ event: "chainCopied", details: copied });
    deps.say(
      `${sizeText(copied.bytes)} in ${durationText(copied.seconds * 1000)}, up to momentum ${copied.height}; hash of all files' hashes: ${copied.manifest}; kept on ${from} meanwhile, at most: ${sizeText(copied.extraBytes)}`,
    );
    return withOutcome("copied", copied);
  } catch (error) {
    const { message, taken, refused } = error as SideError;
    if (taken || refused) throw error;
    throw new Error(failedText(inputs, message));
  } finally {
    sides.close();
  }
}

const syncedMeanwhile = "synced meanwhile";

async function syncedAlready(
  inputs: ChainCopyInputs,
  sides: ChainSides,
  deps: ChainCopyDeps,
): Promise<string | undefined> {
  const { address } = inputs.new.host.ssh;
  const { synced } = parseChainFacts(await sides.call("new", "chain_facts"), address);
  if (synced !== undefined) return `the node of ${address} was synced at ${synced}`;
  const status = await deps.lookAtNode(inputs.new.node);
  return status.synced ? `the node of ${address} is synced` : undefined;
}

/** Copies until a copy is good. Returns undefined if the node synced by itself meanwhile. */
async function copyTries(
  inputs: ChainCopyInputs,
  sides: ChainSides,
  deps: ChainCopyDeps,
): Promise<CopyFacts | undefined> {
  const began = deps.ticks();
  const found: string[] = [];
  let extraBytes = 0;
  for (let count = 1; count <= copies; count += 1) {
    // Take the old host again: its lease may have ended while this run watched the new node.
    await sides.call("old", "chain_take");
    const snapshot = await takeSnapshot(inputs, sides, deps);
    deps.say(
      `snapshot of ${snapshot.files} files, ${sizeText(snapshot.bytes)}, at momentum ${snapshot.height}; the old host's node goes on`,
    );
    await giveRight(inputs, sides, deps);
    const { files, extra } = await travel(inputs, sides, snapshot, deps);
    extraBytes = Math.max(extraBytes, extra);
    const fault = await takeIn(inputs, sides, snapshot.height, deps);
    if (fault === syncedMeanwhile) return undefined;
    if (fault === undefined)
      return {
        from: inputs.old.host.ssh.address,
        files: files.size,
        bytes: snapshot.bytes,
        height: snapshot.height,
        manifest: hashOfFiles(files),
        extraBytes,
        seconds: Math.round((deps.ticks() - began) / 1000),
      };
    found.push(fault);
    deps.say(`copy ${count} of ${copies} is thrown away: ${fault}`);
    await sides.call("new", "chain_discard");
  }
  throw new Error([`${copies} copies were no good`, ...found.map((fault) => `  found: ${fault}`)].join("\n"));
}

/** Replaces the node's databases with the copy, and returns what is wrong with the copy. */
async function takeIn(
  inputs: ChainCopyInputs,
  sides: ChainSides,
  height: number,
  deps: ChainCopyDeps,
): Promise<string | undefined> {
  // The copy may have taken days: the node may be synced by now.
  const status = await deps.lookAtNode(inputs.new.node);
  if (status.synced) {
    deps.say("the new host's node has synced by itself meanwhile: the copy is thrown away");
    await sides.call("new", "chain_discard");
    return syncedMeanwhile;
  }
  deps.say("every file is the same on both sides; the new host's node is stopped in order, and starts with the copy");
  await sides.call("new", "chain_swap", {}, { limitSeconds: 3600 });
  const fault = await followed(inputs, height, deps);
  if (fault === undefined) {
    await sides.call("new", "chain_accept", {}, { limitSeconds: 600 });
    return undefined;
  }
  await sides.call("new", "chain_undo", {}, { limitSeconds: 1800 });
  return fault;
}

/** Waits until the node has added momentums on the old host's chain. Returns what is wrong. */
async function followed(inputs: ChainCopyInputs, height: number, deps: ChainCopyDeps): Promise<string | undefined> {
  const end = deps.ticks() + followWithin;
  let last = "it was not asked";
  while (deps.ticks() < end) {
    await deps.sleep(lookEvery);
    if (deps.signal?.aborted)
      throw new Error("the engine is gone: the copy stops here; the next run goes on from here");
    try {
      const chains = await deps.showChains(inputs.old.node, inputs.new.node);
      const { verdict, height: at } = compareChains(chains.old, chains.new);
      if (verdict === "other") return `the node is on another chain than the old host's: their momentums ${at} differ`;
      if (verdict === "same" && at > height) {
        deps.say(`the node runs with the copy and took in momentum ${at}, the same as the old host's`);
        return undefined;
      }
      last = heightText(chains.new, height);
    } catch (error) {
      last = (error as Error).message;
    }
  }
  // The sync gate waits for peers: the copy itself is not bad.
  if ((await deps.lookAtNode(inputs.new.node)).reason === "fewPeers") {
    deps.say("the node runs with the copy, and has too few peers to go on yet");
    return undefined;
  }
  return `the node took in nothing within ${durationText(followWithin)} of its start with the copy: ${last}`;
}

const heightText = ({ newest }: ShownChain, copied: number) => `it stands at ${newest.height}, copied up to ${copied}`;

function failedText({ stack, new: fresh }: ChainCopyInputs, message: string): string {
  const run = commandsFor(stack);
  return [
    `the chain was not brought over: ${message}`,
    `  The node of ${fresh.host.ssh.address} goes on with its own databases. The next run takes only what did not arrive yet.`,
    `  To go on: ${run.up}`,
    `  Or let the node sync from the network, from what it has: ${run.set("sync.from", "network")} && ${run.up}`,
  ].join("\n");
}
