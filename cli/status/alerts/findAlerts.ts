import { isWrong } from "../../../core/cloud/portRules.ts";
import { formatFree, formatKilled, isNearlyFull } from "../../../core/host/nodeFacts.ts";
import { isOurs } from "../../../core/registration/registration.ts";
import { isFatal } from "../../../core/ssh/sshErrors.ts";
import { isAddingMomentum } from "../../../core/sync/judgeObservation.ts";
import { formatProgress } from "../../../core/sync/progress.ts";
import type { ProblemError } from "../../../core/util/problem.ts";
import { takeValue } from "../../../core/util/result.ts";
import { refusalExitCode } from "../../terminal/refusal.ts";
import { findProblems } from "../parts/hostProblemsPart.ts";
import type { ReadStack, StackView } from "../stackView.ts";

/** A thing that may be wrong. The key, `kind` or `kind:subject`, stays the same while a problem lasts. */
export type Check = readonly [key: string, isKnown: boolean, text: string | false | undefined];

export type Alerts = Readonly<Record<string, string>>;

type MissedMomentums = ReturnType<typeof countMissed>["missed"];

export const getKind = (key: string) => key.split(":")[0] ?? "";
export const getSubject = (key: string) => key.split(":").slice(0, 2).join(":");

/** Number of missed momentums that raises an alert. A healthy host misses a single one at times, too. */
const missedAlertLimit = 3;
const maxFilesShare = 0.8;

export function findAlerts(
  { view, exitCode, problem }: ReadStack,
  missed: MissedMomentums,
  now: number,
  trends: readonly Check[] = [],
): { readonly alerts: Alerts; readonly unknown: readonly string[] } {
  if (!view.state.isBegun) return { alerts: {}, unknown: [] };
  const { node, orchestrator } = view.parts;
  const isReachable = exitCode !== refusalExitCode;
  const signer = takeValue(orchestrator);
  const checks: Check[] = [
    ["host", true, !isReachable && problem?.what],
    ["refusal", isReachable, false],
    [`signer:${signer?.kind}`, signer !== undefined, signer?.isWrong && `the orchestrator: ${signer.text}`],
    ...checkProblems(view),
  ];
  // If a retirement shut the node down, there is nothing to say of node, chain and host.
  if (!takeValue(node)?.wasShutDown)
    checks.push(...checkNode(view, isReachable, now), ...checkChain(view, missed), ...checkHost(view), ...trends);
  return {
    alerts: Object.fromEntries(checks.flatMap(([key, isKnown, text]) => (isKnown && text ? [[key, text]] : []))),
    unknown: checks.flatMap(([key, isKnown]) => (isKnown ? [] : [getKind(key)])),
  };
}

/** Alerts of a host that refuses this program, or can't be asked: the rest is not known. */
export function alertOfRefusal(refusal: ProblemError, isBegun: boolean, told: Alerts) {
  const alerts: Alerts = isBegun ? { refusal: refusal.problem.what } : {};
  // A host that refuses is not silent.
  const known = isFatal(refusal) ? ["refusal", "host"] : ["refusal"];
  const kinds = Object.keys(told).map(getKind);
  return { alerts, unknown: kinds.filter((kind) => !known.includes(kind)) };
}

function checkProblems(view: StackView): Check[] {
  const { hourlyRestart = { value: "off" }, node, sporks, versions } = view.parts;
  const sources = Object.entries({ crontab: hourlyRestart, mask: node, spork: sporks, version: versions });
  return [
    ...sources.map(([kind, part]): Check => [kind, "value" in part, false]),
    ["boot", view.facts?.service !== undefined, false],
    ...findProblems(view).map(({ key, text }): Check => [key, true, text]),
  ];
}

export const wasSynced = ({ lifecycle, state, facts }: StackView): boolean =>
  lifecycle === "adopted" || state.wait?.syncedAt !== undefined || facts?.done?.synced !== undefined;

function checkNode(view: StackView, isReachable: boolean, now: number): Check[] {
  const { parts, facts, lifecycle, state, sync, synced } = view;
  const unit = takeValue(parts.node);
  const isDeployed = lifecycle !== "active" || state.wait !== undefined || facts?.done?.deployed !== undefined;
  const silent = sync?.observation.kind === "none" && `the node does not answer: ${sync.observation.reason}`;
  const isLost = wasSynced(view) && !synced;
  // Neither a momentum that the node is just inserting nor silent witnesses mean that the sync was lost.
  const isDoubtful = sync && (isAddingMomentum(sync.observation, now) || sync.why.kind === "unwitnessed");
  const isSyncKnown = isReachable && sync && !silent && !(isLost && isDoubtful);
  return [
    ["node", isReachable && unit !== undefined, isDeployed && (unit?.active ? silent : "the node does not run")],
    ["sync", isSyncKnown === true, sync && isLost && `the node is not synced any more: ${formatProgress(sync)}`],
  ];
}

function checkChain({ parts, lifecycle, pillar }: StackView, counted: MissedMomentums): Check[] {
  const found = takeValue(parts.registration);
  const isKnown = found !== undefined && found.kind !== "unknown";
  const isActive = lifecycle === "active";
  const address =
    (found?.kind === "tooEarly" && "this host's address, but the node is not synced") ||
    (isActive && found?.kind === "foreign" && "an unknown address") ||
    (isActive && found?.kind === "earlier" && found.wasOurs && "an earlier address again");
  const { missed = 0, inARow = 0 } = counted ?? {};
  const row = inARow >= missedAlertLimit && `it missed its last ${inARow} momentums`;
  const many = missed >= missedAlertLimit && `${pillar} has missed at least ${missed} momentums of this epoch`;
  // Without a newer count, nothing is known of the momentums of a registered host.
  const isCounted = isKnown && (!isOurs(found) || counted !== undefined);
  return [
    [`registration:${found?.kind}`, isKnown, address && `${pillar} is registered with ${address}`],
    ["producing", isCounted, row && `${pillar} does not produce: ${row}`],
    ["missed", isCounted, many],
  ];
}

function checkHost({ parts, facts }: StackView): Check[] {
  const { disk, node, clock, units } = facts ?? {};
  // Without `ports`, no port is tested, so there is no alert; but on a silent host the ports are unknown.
  const isUntried = "value" in parts.node && parts.ports === undefined;
  const ports = takeValue(parts.ports);
  const full = disk && isNearlyFull(disk) && `the disk is nearly full: ${formatFree(disk)}`;
  return [
    ["disk", !!disk, full],
    ["peers", node?.peers !== undefined, node?.peers === 0 && "the node has no peers"],
    ["clock", !!clock, !clock?.isKept && "no service synchronizes the host's clock, so the node may miss momentums"],
    ["killed", facts !== undefined && "killed" in facts, facts?.killed && formatKilled(facts.killed)],
    ["files", units !== undefined, false],
    ...(units ?? []).map(({ name, files, limit }): Check => {
      const text = `${name} has ${files} of at most ${limit} files open: a restart frees them, LimitNOFILE in its unit allows more`;
      return [`files:${name}`, true, files > limit * maxFilesShare && text];
    }),
    ["port", isUntried || ports !== undefined, false],
    ...(ports ?? []).filter(isWrong).map(({ port, what, wanted }): Check => {
      const is = wanted === "closed" ? "open" : "closed";
      return [`port:${port}`, true, `${port}/tcp, ${what}, is ${is} to this machine, and should be ${wanted}`];
    }),
  ];
}

/** A node's count of a Pillar's momentums in this epoch. `expected` includes the whole current tick. */
export interface MomentumCounts {
  readonly expected: number;
  readonly produced: number;
  /** Value of `expected` when `produced` last grew. */
  readonly dryFrom: number;
}

/** `expected` may fall by this much, because a node's count may be old. If it falls further, a new epoch has begun. */
const maxLag = 2;

/**
 * Compares a count with the one before. One count proves no missed momentum, because it includes future slots and may be
 * minutes old. But once `expected` has grown, the momentums expected then should exist. Returns the momentums missed in
 * this epoch, at least, and those of them in a row until now; undefined without a newer count.
 */
export function countMissed(
  before: MomentumCounts | undefined,
  { expected, produced }: Omit<MomentumCounts, "dryFrom">,
): { counts: MomentumCounts; missed?: { missed: number; inARow: number } } {
  if (before === undefined || expected < before.expected - maxLag)
    return { counts: { expected, produced, dryFrom: expected }, missed: { missed: 0, inARow: 0 } };
  if (expected <= before.expected || produced < before.produced) return { counts: before };
  const isDry = produced === before.produced;
  return {
    counts: { expected, produced, dryFrom: isDry ? before.dryFrom : expected },
    missed: { missed: Math.max(0, before.expected - produced), inARow: isDry ? before.expected - before.dryFrom : 0 },
  };
}
