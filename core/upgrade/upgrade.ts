import type { Network } from "../chain/elections";
import type { NodeStatus } from "../sync/nodeStatus";
import type { Clock } from "../util/clock";
import { commandsFor } from "../util/commands";
import { parseFields } from "../util/fields";
import { takeFirstLine } from "../util/printable";
import { createProblemError, formatProblem } from "../util/problem";
import { formatDuration } from "../util/timeText";
import { decideMoment, judgeUpgrade, type TickFacts } from "./rules";

interface UpgradeOptions {
  readonly stack: string;
  readonly address: string;
  readonly version: string;
  readonly network: Network;
  /** Milliseconds that the node was down in the last upgrade. */
  readonly lastMs?: number | undefined;
}

/** A host's answer (core/steps/node/nodeRelease.sh): the end of its last upgrade, and the installed version. */
type HostUpgrade = Partial<Record<"stage" | "why" | "without" | "installed" | "replaced" | "producer", string>>;

export interface UpgradeDeps extends Clock {
  host(name: "look" | "fetch" | "swap" | "judge", variables?: object): Promise<string>;
  node(): Promise<NodeStatus>;
  version(): Promise<string | undefined>;
  /** Reads the running tick; undefined if the producer address has no slots. @throws if the node does not answer */
  tick(producer: string | undefined): Promise<TickFacts | undefined>;
  /** Returns why the old version must not be restored automatically. */
  findRollbackFault(before: string | undefined, node: NodeStatus): Promise<string | undefined>;
  /** Waits until the host's orchestrator signs nothing. @throws during a key generation */
  waitForSigner(): Promise<void>;
  say(line: string): void;
}

const logCommand = "journalctl -u pillar-host-node-upgrade";
const pollIntervalMs = 500;
/** Assumed length of a restart if none was measured, and the least time that a new version gets to answer. */
const firstRestartMs = 30_000;
const judgeTimeoutMs = 40_000;
/** Time without an answer of the host, long enough for a reboot. */
const silenceTimeoutMs = 120_000;
/** Long, because stopping the node may take minutes. */
const swapTimeoutMs = 15 * 60_000;

/** Upgrades a node. If the new version fails, the host restores the old one. @throws then an Error for the operator */
export async function upgradeNode(options: UpgradeOptions, deps: UpgradeDeps): Promise<{ readonly without?: number }> {
  const { version, lastMs = 0 } = options;
  const { host, say } = deps;
  // An earlier run may have begun an upgrade that still runs.
  const state = await waitForUpgradeEnd(deps, options, async () => undefined);
  if (state.installed === "yes") return {};
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
      ? `if ${version} does not work within ${judgeTimeoutMs / 1000} s, ${before} is restored automatically`
      : `${before} can't be restored automatically, because it would follow another chain (${fault}). If ${version} does not work, ${version} stays installed`,
  );
  await deps.waitForSigner();
  const hasSlots = await waitForMoment(options, state.producer, deps);
  const node = await deps.node();
  const from = deps.now();
  const answer_seconds = Math.ceil(Math.max(firstRestartMs, 3 * lastMs) / 1000);
  await host("swap", { may_go_back: fault === undefined, answer_seconds, judge_seconds: judgeTimeoutMs / 1000 + 15 });
  say("the old version is being stopped, then the new one starts");
  let answered = 0;
  const end = await waitForUpgradeEnd(deps, options, async ({ without }) => {
    if (!without) return;
    answered ||= deps.ticks();
    const [current, tick] = await Promise.all([deps.node(), deps.tick(state.producer).catch(() => undefined)]);
    const produced = tick?.produced.filter((at) => at > from).length ?? 0;
    const times = { waited: deps.ticks() - answered, limit: judgeTimeoutMs };
    const judgement = judgeUpgrade({ before: node, node: current, hasSlots, produced, ...times });
    if (judgement === undefined) return;
    say(`${version} is ${judgement.isGood ? "good" : "not good"}: ${judgement.why}`);
    // In base64, because the verdict quotes the node.
    const verdict = judgement.isGood ? "good" : takeFirstLine(judgement.why);
    await host("judge", { verdict: Buffer.from(verdict).toString("base64") });
  });
  if (end.stage !== "done") throw new Error(formatEnd(end, options, before));
  const without = Number(end.without);
  say(`${version} runs now instead of ${before}; the node was down for ${(without / 1000).toFixed(1)} s`);
  return { without };
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

/** Waits until no upgrade runs on the host. Reconnects if the connection breaks. */
async function waitForUpgradeEnd(
  deps: UpgradeDeps,
  { address, stack }: UpgradeOptions,
  meanwhile: (look: HostUpgrade) => unknown,
) {
  const begun = deps.ticks();
  let [lastAnswer, fault] = [begun, "the upgrade is still active"];
  while (deps.ticks() - lastAnswer < silenceTimeoutMs && deps.ticks() - begun < swapTimeoutMs) {
    try {
      const { atWork, ...look } = Object.fromEntries(parseFields(await deps.host("look")));
      if (atWork === undefined) return look as HostUpgrade;
      lastAnswer = deps.ticks();
      await meanwhile(look);
    } catch (error) {
      fault = (error as Error).message;
    }
    await deps.sleep(pollIntervalMs);
  }
  throw createProblemError({
    what: `${address}: the node's upgrade did not end`,
    found: fault,
    needed: `read the log on the host: ${logCommand}`,
    next: `Then: ${commandsFor(stack).up}`,
  });
}

function formatEnd({ stage, why }: HostUpgrade, { address, version, stack }: UpgradeOptions, before: string): string {
  const { up, remove } = commandsFor(stack);
  const outcomes: Readonly<Record<string, string>> = {
    back: `${before} runs again`,
    stuck: `stays: ${before} would follow another chain`,
  };
  const outcome = outcomes[stage ?? ""] ?? `${before} does not answer; the log on the host: ${logCommand}`;
  return formatProblem({
    what: `${address}: ${version} of the node is not good, and ${outcome}`,
    found: why || "the host did not report how the upgrade ended",
    needed: stage === "stuck" && "set pillar-host:node.release to a release that works",
    next: [`Then: ${up}`, stage === "back" && `Or, to stay with ${before}: ${remove("node.release")}`],
  });
}
