import type { Network } from "../chain/elections.ts";
import type { NodeStatus } from "../sync/nodeStatus.ts";
import type { Clock } from "../util/clock.ts";
import { commandsFor } from "../util/commands.ts";
import { parseFields } from "../util/fields.ts";
import { takeFirstLine } from "../util/printable.ts";
import { formatProblem, ProblemError } from "../util/problem.ts";
import { formatDuration } from "../util/timeText.ts";
import { withTimeout } from "../util/withTimeout.ts";
import {
  decideMoment,
  isUndecided,
  judgeTimeoutMs,
  judgeUpgrade,
  type TickFacts,
  undecidedTimeoutMs,
} from "./rules.ts";

interface UpgradeOptions {
  readonly stack: string;
  readonly address: string;
  readonly version: string;
  readonly network: Network;
  /** Milliseconds in which the node could not produce in the last upgrade. */
  readonly lastMs?: number | undefined;
}

/** A host's answer (core/steps/node/nodeRelease.sh): the end of its last upgrade, and the installed version. */
type HostUpgrade = Partial<
  Record<"stage" | "why" | "without" | "opening" | "installed" | "replaced" | "producer" | "retired", string>
>;

export interface UpgradeDeps extends Clock {
  host(name: "look" | "fetch" | "swap" | "judge", variables?: object): Promise<string>;
  node(): Promise<NodeStatus>;
  version(): Promise<string | undefined>;
  /** Reads the running tick; undefined if the producer address has no slots. @throws if the node does not answer */
  tick(producer: string | undefined): Promise<TickFacts | undefined>;
  /** Returns why the old version must not be restored automatically. */
  findRollbackFault(before: string | undefined, node: NodeStatus): Promise<string | undefined>;
  /** Waits until the host's orchestrator signs nothing. @throws during a key generation */
  waitForOrchestrator(): Promise<void>;
  say(line: string): void;
}

const logCommand = "journalctl -u pillar-host-node-upgrade";
const pollIntervalMs = 500;
/** Assumed time of a restart until the node has its peers, if none was measured. */
const firstRestartMs = 60_000;
/** Time without an answer of the host, long enough for a reboot. */
const silenceTimeoutMs = 120_000;
/** Time without a change of the host's answer. Stopping a node, before and after the verdict, takes up to 5 minutes. */
const standstillTimeoutMs = undecidedTimeoutMs + 600_000;
const tickTimeoutMs = 20_000;
const sayIntervalMs = 30_000;
/** Limits of the host's service: for the RPC, for the verdict, and for a run that looks no more, as it may reconnect. */
const answer_seconds = undecidedTimeoutMs / 1000;
const hostLimits = { answer_seconds, judge_seconds: answer_seconds + 60, seen_seconds: 60 };
const reasons = `it ends, follows another chain, stands still for ${formatDuration(judgeTimeoutMs)}, or has no answer or too few peers for ${formatDuration(undecidedTimeoutMs)}`;

/** Upgrades a node. If the new version fails, the host restores the old one. @throws then an Error for the operator */
export async function upgradeNode(options: UpgradeOptions, deps: UpgradeDeps): Promise<{ readonly without?: number }> {
  const { version } = options;
  const { host, say } = deps;
  // An earlier run may have begun an upgrade that still runs.
  const state = await waitForUpgradeEnd(deps, options);
  const isInstalled = state.installed === "yes";
  if (state.retired) say(`this host's node was shut down for good at ${state.retired}: it is not upgraded`);
  if (isInstalled && state.stage === "stuck") say(`${version} stayed, although it was not proved good: ${state.why}`);
  if (state.retired || isInstalled) return {};
  if (state.installed && state.replaced)
    say(`the installed node program, ${state.installed}, was replaced by somebody, perhaps by the controller's Deploy`);
  const running = await deps.version();
  say(`${running ?? "a node of unknown version"} keeps running while ${version} is downloaded and checked`);
  const fetched = (await host("fetch")).trim();
  if (fetched === "") return {};
  say(fetched);
  const fault = await deps.findRollbackFault(running, await deps.node());
  const before = running ?? "the version before";
  say(
    fault === undefined
      ? `if ${version} does not work (${reasons}), ${before} is restored automatically`
      : `${before} can't be restored automatically, because it would follow another chain (${fault}). If ${version} does not work (${reasons}), ${version} stays installed`,
  );
  await deps.waitForOrchestrator();
  const hasSlots = await waitForMoment(options, state.producer, deps);
  const old = await deps.node();
  const [from, begun] = [deps.now(), deps.ticks()];
  await host("swap", { may_go_back: fault === undefined, ...hostLimits });
  say("the old version is being stopped, then the new one starts");
  let [answered, connected, syncedAfter] = [0, 0, 0];
  let [wasOpening, isJudged] = [false, false];
  const end = await waitForUpgradeEnd(deps, options, async ({ without, opening }) => {
    wasOpening ||= Boolean(opening);
    if (!without) return opening ? `it reads its database before it answers: ${opening} %` : "it does not answer yet";
    if (isJudged) return undefined;
    answered ||= deps.ticks();
    const tick = withTimeout(deps.tick(state.producer), tickTimeoutMs).catch(() => undefined);
    const [node, momentums] = await Promise.all([deps.node(), tick]);
    if (connected === 0 || isUndecided(node)) connected = deps.ticks();
    if (node.synced) syncedAfter ||= deps.ticks() - begun;
    const times = { waited: deps.ticks() - answered, connected: deps.ticks() - connected };
    const produced = momentums?.produced.filter((at) => at > from).length ?? 0;
    const judgement = judgeUpgrade({ before: old, node, hasSlots, produced, ...times });
    if (judgement === undefined) return node.why;
    say(`${version} is ${judgement.isGood ? "good" : "not good"}: ${judgement.why}`);
    // In base64, because the verdict quotes the node.
    const verdict = judgement.isGood ? "good" : takeFirstLine(judgement.why);
    await host("judge", { verdict: Buffer.from(verdict).toString("base64") });
    isJudged = true;
    return undefined;
  });
  if (end.stage !== "done") throw new Error(formatEnd(end, options, before, fault));
  const without = Math.max(Number(end.without), syncedAfter);
  const seconds = new Set([Number(end.without), without].map((ms) => `${(ms / 1000).toFixed(1)} s`));
  say(`${version} runs now instead of ${before}; the node was down for ${[...seconds].join(", and synced after ")}`);
  // Measures nothing if the node did not sync, or read its database, which it does once.
  return wasOpening || syncedAfter === 0 ? {} : { without };
}

/** Waits for a time without a slot of the Pillar, or the timeout. @returns false if the Pillar has no slots here */
async function waitForMoment({ network, lastMs }: UpgradeOptions, producer: string | undefined, deps: UpgradeDeps) {
  const begun = deps.ticks();
  // Adds a second because the node's times are whole seconds, and a momentum's time because it arrives late.
  const needed = (lastMs ?? firstRestartMs) * 1.25 + network.momentum + 1000;
  const unknownTick = { now: 0, genesis: 0, pillars: 0, produced: [] };
  for (let said = false; ; said = true) {
    const facts = await deps.tick(producer).catch(() => unknownTick);
    if (facts === undefined) return false;
    const waited = deps.ticks() - begun;
    const moment = decideMoment(facts, network, needed, waited);
    if (moment !== "wait") {
      const why = `no time without a slot came within ${formatDuration(waited)}: upgrading now, a momentum may be missed`;
      deps.say(moment === "now" ? why : `the Pillar has no slot for ${formatDuration(moment)}: upgrading now`);
      return true;
    }
    if (!said) deps.say(`waiting for ${formatDuration(needed)} in which the Pillar has no slot, at most 10 min`);
    await deps.sleep(Math.min(pollIntervalMs, network.momentum));
  }
}

/** Waits until no upgrade runs on the host; with `judge` as the run that judges it. Reconnects if the connection breaks. */
async function waitForUpgradeEnd(
  deps: UpgradeDeps,
  { address, stack, version }: UpgradeOptions,
  judge?: (look: HostUpgrade) => Promise<string | undefined>,
) {
  const begun = deps.ticks();
  let [lastAnswer, lastChange, saidAt, last, fault] = [begun, begun, begun, "", "the upgrade is still active"];
  while (deps.ticks() - lastAnswer < silenceTimeoutMs && deps.ticks() - lastChange < standstillTimeoutMs) {
    try {
      const printed = await deps.host("look", judge && { judges: true });
      const { atWork, ...look } = Object.fromEntries(parseFields(printed));
      if (atWork === undefined) return look as HostUpgrade;
      lastAnswer = deps.ticks();
      if (printed !== last) [last, lastChange] = [printed, lastAnswer];
      const progress = await judge?.(look);
      if (progress && deps.ticks() - saidAt >= sayIntervalMs) {
        deps.say(`${version} is not judged yet: ${progress}`);
        saidAt = deps.ticks();
      }
    } catch (error) {
      fault = (error as Error).message;
    }
    await deps.sleep(pollIntervalMs);
  }
  throw new ProblemError({
    what: `${address}: the node's upgrade did not end`,
    found: fault,
    needed: `read the log on the host: ${logCommand}`,
    next: `Then: ${commandsFor(stack).up}`,
  });
}

function formatEnd(end: HostUpgrade, { address, version, stack }: UpgradeOptions, before: string, fault?: string) {
  const { stage = "off", why } = end;
  const { up, remove, status } = commandsFor(stack);
  const outcomes: Readonly<Record<string, string>> = {
    kept: `was not installed, and ${before} runs on`,
    back: `is not good, and ${before} runs again`,
    stuck: `is not good, and stays: ${before} ${fault ? "would follow another chain" : "could not be put back"}`,
  };
  const outcome = outcomes[stage] ?? `is not good, and ${before} does not answer; the log on the host: ${logCommand}`;
  return formatProblem({
    what: `${address}: ${version} of the node ${outcome}`,
    found: why || "the host did not report how the upgrade ended",
    needed:
      stage === "stuck" &&
      `see whether it recovers: ${status()}. If it does not, set pillar-host:node.release to a release that works`,
    next: [`Then: ${up}`, /kept|back/.test(stage) && `Or, to stay with ${before}: ${remove("node.release")}`],
  });
}
