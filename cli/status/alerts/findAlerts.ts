import { isOurs } from "../../../core/registration/registration";
import { isWrong } from "../../../core/ssh/portRules";
import { isAddingMomentum } from "../../../core/sync/judgeLook";
import { progressText } from "../../../core/sync/messages";
import type { Result } from "../../../core/util/result";
import { findProblems } from "../parts/hostProblems";
import { getValue } from "../parts/statusParts";
import type { StackView } from "../stackView";
import type { MomentumCounts } from "./momentumCounts";

/** Something about a stack that somebody should hear of. */
export interface Alert {
  /** Stays the same for as long as the sign lasts: its kind, and after a colon its subject. */
  readonly key: string;
  readonly text: string;
}

/** A look's signs, and the kinds of which it can't tell whether they last. */
export interface AlertObservation {
  readonly alerts: readonly Alert[];
  readonly unknown: readonly string[];
}

/** The signs of one kind; undefined where the look can't tell. */
type Check = readonly [kind: string, signs: readonly Alert[] | undefined];

/** Result of a lookup of a host. */
export interface HostLookup {
  readonly view: StackView;
  /** The host could be looked at. */
  readonly isReachable: boolean;
  /** Else why not. */
  readonly problems: readonly string[];
  /** By this and earlier looks. */
  readonly counts?: MomentumCounts | undefined;
}

/** Missed momentums that are a sign: a single one happens to a good host, too. */
const missedAlertLimit = 3;

/** A disk with less than this share free has to be looked at while there is time. */
const minFreeShare = 0.1;

/** Returns what somebody should hear of a stack, none of one that was not begun. */
export function findAlerts(look: HostLookup, now: number): AlertObservation {
  const { view, isReachable: looked, problems: trouble } = look;
  if (!view.state.isBegun) return { alerts: [], unknown: [] };
  const why = trouble.map((line) => line.trim()).find((line) => line !== "") ?? "its host could not be looked at";
  // A node that is off for good has no other signs.
  const isOff = getValue(view.parts?.node)?.wasShutDown;
  const rest = isOff ? [] : [...checkNode(look, now), ...checkChain(look), ...checkHost(view)];
  const checks = [check("host", looked ? undefined : why), ...checkProblems(view), checkOrchestrator(view), ...rest];
  return {
    alerts: checks.flatMap(([, signs]) => signs ?? []),
    unknown: checks.flatMap(([kind, signs]) => (signs === undefined ? [kind] : [])),
  };
}

/** Makes a check of a sign's text; undefined: all is well. */
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
  const signer = getValue(parts?.orchestrator);
  if (signer === undefined) return ["signer", undefined];
  return check("signer", signer.isWrong ? `its orchestrator: ${signer.text}` : undefined, `signer:${signer.kind}`);
}

function checkNode({ view, isReachable: looked }: HostLookup, now: number): Check[] {
  const { parts, facts, lifecycle, state, sync, synced } = view;
  const unit = getValue(parts?.node);
  const isDeployed = lifecycle !== "active" || state.wait !== undefined || facts?.done?.deployed !== undefined;
  const wasSynced = lifecycle === "adopted" || state.wait?.syncedAt !== undefined || facts?.done?.synced !== undefined;
  const silent = sync?.observation.kind === "none" ? sync.observation.reason : undefined;
  const node = (): Check => {
    if (!looked || unit === undefined) return ["node", undefined];
    if (!isDeployed) return ["node", []];
    if (!unit.active) return check("node", "its node does not run");
    return check("node", silent === undefined ? undefined : `its node does not answer: ${silent}`);
  };
  const sinking = (): Check => {
    if (!looked || sync === undefined || silent !== undefined) return ["sync", undefined];
    if (synced || !wasSynced) return ["sync", []];
    // A momentum that was being taken in at this look says nothing against the sync.
    if (isAddingMomentum(sync.observation, now)) return ["sync", undefined];
    return check("sync", `its node was synced, and is not any more: ${progressText(sync)}`);
  };
  return [node(), sinking()];
}

function checkChain({ view: { parts, lifecycle, pillar }, counts: production }: HostLookup): Check[] {
  const found = getValue(parts?.registration);
  if (found === undefined || found.kind === "unknown")
    return ["registration", "producing", "missed"].map((kind) => [kind, undefined]);
  const isActive = lifecycle === "active";
  const texts: Partial<Record<typeof found.kind, string>> = {
    tooEarly: `${pillar} is registered with its address, and its node is not synced`,
    foreign: isActive ? `${pillar} is registered with an address that is not known here` : undefined,
    earlier: isActive && "wasOurs" in found && found.wasOurs ? `${pillar} went back to another address` : undefined,
  };
  const { missed = 0, inARow = 0 } = (isOurs(found) && production) || {};
  const row = inARow >= missedAlertLimit ? `: none of its last ${inARow} momentums` : "";
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
  const ifTold = (kind: string, told: unknown, isBad: boolean | undefined, text: string): Check =>
    told === undefined ? [kind, undefined] : check(kind, isBad ? text : undefined);
  const full = disk && `its disk is nearly full: ${gb(disk.free)} of ${gb(disk.size)} GB are free at ${disk.at}`;
  const unkept = "nothing keeps its clock right: a node whose clock is wrong misses momentums";
  const wrong = getValue(parts?.ports)?.filter(isWrong);
  // A silent host had none of its ports tried.
  const isUntried = getValue(parts?.node) !== undefined && parts?.ports === undefined;
  return [
    ifTold("disk", disk, disk && disk.free < disk.size * minFreeShare, full ?? ""),
    ifTold("peers", node?.peers, node?.peers === 0, "its node has no peers"),
    ifTold("clock", clock, clock && !clock.isKept, unkept),
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
