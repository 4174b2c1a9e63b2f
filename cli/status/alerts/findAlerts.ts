import { isOurs } from "../../../core/registration/registration";
import { isWrong } from "../../../core/ssh/portRules";
import { isAddingMomentum } from "../../../core/sync/judgeObservation";
import { formatProgress } from "../../../core/sync/syncMessages";
import type { Result } from "../../../core/util/result";
import { findProblems } from "../parts/hostProblemsPart";
import { getValue } from "../parts/statusParts";
import type { StackView } from "../stackView";
import type { MomentumCounts } from "./momentumCounts";

interface Alert {
  /** Identifies the problem as `kind:subject`. Does not change while the problem lasts. */
  readonly key: string;
  readonly text: string;
}

interface AlertObservation {
  readonly alerts: readonly Alert[];
  readonly unknown: readonly string[];
}

/** Alerts of one kind; undefined if the lookup could not check that kind. */
type Check = readonly [kind: string, alerts: readonly Alert[] | undefined];

export interface HostLookup {
  readonly view: StackView;
  readonly isReachable: boolean;
  /** Reasons why the host is not reachable. */
  readonly problems: readonly string[];
  /** Momentum counts of this lookup and earlier ones. */
  readonly counts?: MomentumCounts | undefined;
}

/** Number of missed momentums that raises an alert. A healthy host misses a single one at times, too. */
const missedAlertLimit = 3;

const minFreeShare = 0.1;

export function findAlerts(lookup: HostLookup, now: number): AlertObservation {
  const { view, isReachable, problems } = lookup;
  if (!view.state.isBegun) return { alerts: [], unknown: [] };
  const why = problems.map((line) => line.trim()).find((line) => line !== "") ?? "the host could not be reached";
  // If a retirement shut the node down, skip the checks of node, chain and host.
  const isOff = getValue(view.parts?.node)?.wasShutDown;
  const rest = isOff ? [] : [...checkNode(lookup, now), ...checkChain(lookup), ...checkHost(view)];
  const checks = [
    check("host", isReachable ? undefined : why),
    ...checkProblems(view),
    checkOrchestrator(view),
    ...rest,
  ];
  return {
    alerts: checks.flatMap(([, alerts]) => alerts ?? []),
    unknown: checks.flatMap(([kind, alerts]) => (alerts === undefined ? [kind] : [])),
  };
}

/** Creates the check of a kind; without a text there is no alert. */
const check = (kind: string, text: string | undefined, key = kind): Check => [
  kind,
  text === undefined ? [] : [{ key, text }],
];

function checkProblems({ parts, stack }: StackView): Check[] {
  const found = parts ? findProblems(parts, stack) : [];
  const of = (kind: string, part: Result<unknown> | undefined): Check => [
    kind,
    getValue(part) === undefined ? undefined : found.filter(({ key }) => key.split(":")[0] === kind),
  ];
  const crontab: Check =
    parts && parts.hourlyRestart === undefined ? ["crontab", []] : of("crontab", parts?.hourlyRestart);
  return [crontab, of("mask", parts?.node), of("spork", parts?.sporks), of("version", parts?.versions)];
}

function checkOrchestrator({ parts }: StackView): Check {
  const part = getValue(parts?.orchestrator);
  if (part === undefined) return ["signer", undefined];
  return check("signer", part.isWrong ? `the orchestrator: ${part.text}` : undefined, `signer:${part.kind}`);
}

function checkNode({ view, isReachable }: HostLookup, now: number): Check[] {
  const { parts, facts, lifecycle, state, sync, synced } = view;
  const unit = getValue(parts?.node);
  const isDeployed = lifecycle !== "active" || state.wait !== undefined || facts?.done?.deployed !== undefined;
  const wasSynced = lifecycle === "adopted" || state.wait?.syncedAt !== undefined || facts?.done?.synced !== undefined;
  const silent = sync?.observation.kind === "none" ? sync.observation.reason : undefined;
  const node = (): Check => {
    if (!isReachable || unit === undefined) return ["node", undefined];
    if (!isDeployed) return ["node", []];
    if (!unit.active) return check("node", "the node does not run");
    return check("node", silent === undefined ? undefined : `the node does not answer: ${silent}`);
  };
  const syncLoss = (): Check => {
    if (!isReachable || sync === undefined || silent !== undefined) return ["sync", undefined];
    if (synced || !wasSynced) return ["sync", []];
    // A momentum that the node is just inserting does not mean that the sync was lost.
    if (isAddingMomentum(sync.observation, now)) return ["sync", undefined];
    return check("sync", `the node is not synced any more: ${formatProgress(sync)}`);
  };
  return [node(), syncLoss()];
}

function checkChain({ view: { parts, lifecycle, pillar }, counts: production }: HostLookup): Check[] {
  const found = getValue(parts?.registration);
  if (found === undefined || found.kind === "unknown")
    return ["registration", "producing", "missed"].map((kind) => [kind, undefined]);
  const isActive = lifecycle === "active";
  const texts: Partial<Record<typeof found.kind, string>> = {
    tooEarly: `${pillar} is registered with this host's address, but the node is not synced`,
    foreign: isActive ? `${pillar} is registered with an unknown address` : undefined,
    earlier:
      isActive && "wasOurs" in found && found.wasOurs
        ? `${pillar} is registered with an earlier address again`
        : undefined,
  };
  const { missed = 0, inARow = 0 } = (isOurs(found) && production) || {};
  const row = inARow >= missedAlertLimit ? `: it missed its last ${inARow} momentums` : "";
  const isSilent = row !== "" || (found.kind === "registered" && found.isLate);
  const many =
    missed >= missedAlertLimit ? `${pillar} has missed at least ${missed} momentums of this epoch` : undefined;
  return [
    check("registration", texts[found.kind], `registration:${found.kind}`),
    check("producing", isSilent ? `${pillar} does not produce${row}` : undefined),
    check("missed", many),
  ];
}

function checkHost({ parts, facts }: StackView): Check[] {
  const { disk, node, clock } = facts ?? {};
  const gb = (kib: number) => (kib / 1e6).toFixed(1);
  const checkFact = (kind: string, fact: unknown, isBad: boolean | undefined, text: string): Check =>
    fact === undefined ? [kind, undefined] : check(kind, isBad ? text : undefined);
  const full = disk && `the disk is nearly full: ${gb(disk.free)} of ${gb(disk.size)} GB are free at ${disk.at}`;
  const clockText = "no service synchronizes the host's clock, and a node with a wrong clock misses momentums";
  const wrong = getValue(parts?.ports)?.filter(isWrong);
  // Without `ports`, no port is tested, so there is no alert; but on a silent host the ports are unknown.
  const isUntried = getValue(parts?.node) !== undefined && parts?.ports === undefined;
  return [
    checkFact("disk", disk, disk && disk.free < disk.size * minFreeShare, full ?? ""),
    checkFact("peers", node?.peers, node?.peers === 0, "the node has no peers"),
    checkFact("clock", clock, clock && !clock.isKept, clockText),
    [
      "port",
      isUntried
        ? []
        : wrong?.map(({ port, what, wanted }) => ({
            key: `port:${port}`,
            text: `${port}/tcp, ${what}, is ${wanted === "closed" ? "open" : "closed"} to this machine, and should be ${wanted}`,
          })),
    ],
  ];
}
