import { isOurs } from "../../core/registration/registration";
import { isWrong } from "../../core/settings/portRules";
import { progressText } from "../../core/sync/messages";
import { isTakingIn } from "../../core/sync/verdict";
import { amissOf } from "../parts/amiss";
import type { Part } from "../parts/part";
import type { View } from "../view";
import { factChecks } from "./factSigns";
import type { Production } from "./production";
import { type Check, observationOf, type Sign, type SignObservation } from "./sign";

/** What a look at a host brought. */
export interface Look {
  readonly view: View;
  /** The host could be looked at. */
  readonly looked: boolean;
  /** Else why not. */
  readonly trouble: readonly string[];
  /** By this and earlier looks. */
  readonly production?: Production | undefined;
}

/** One that was missed befalls the best: so many are a sign. */
const missedLimit = 3;

/** What of a stack somebody should hear of, and of what a look can't tell (pure). One that was not begun is nobody's worry. */
export function signsOf(look: Look, now: number): SignObservation {
  const { view, looked, trouble } = look;
  if (!view.state.begun) return observationOf([]);
  const why = trouble.map((line) => line.trim()).find((line) => line !== "");
  const host: Check = ["host", looked ? [] : [{ key: "host", text: why ?? "its host could not be looked at" }]];
  const unit = told(view.parts?.node);
  // Of a node that is off for good there is nothing else to tell.
  const rest = unit?.wasShutDown ? [] : [...nodeChecks(look, now), ...chainChecks(look), ...hostChecks(view)];
  return observationOf([host, ...amissChecks(view), orchestratorCheck(view), ...rest]);
}

const told = <T>(part: Part<T> | undefined) => (part && "value" in part ? part.value : undefined);

function amissChecks({ parts, stack }: View): Check[] {
  const found = parts ? amissOf(parts, stack) : [];
  const check = (kind: string, part: Part<unknown> | undefined | "never"): Check => [
    kind,
    part === "never" || told(part) !== undefined ? found.filter(({ key }) => key.split(":")[0] === kind) : undefined,
  ];
  return [
    check("crontab", parts && parts.hourlyRestart === undefined ? "never" : parts?.hourlyRestart),
    check("mask", parts?.node),
    check("spork", parts?.sporks),
    check("version", parts?.versions),
  ];
}

function orchestratorCheck({ parts }: View): Check {
  const signer = told(parts?.signer);
  if (signer === undefined) return ["signer", undefined];
  return ["signer", signer.isWrong ? [{ key: `signer:${signer.kind}`, text: `its orchestrator: ${signer.text}` }] : []];
}

function nodeChecks({ view, looked }: Look, now: number): Check[] {
  const { parts, facts, lifecycle, state, sync, synced } = view;
  const unit = told(parts?.node);
  const done = facts?.done;
  const isDeployed = lifecycle !== "active" || state.wait !== undefined || done?.deployed !== undefined;
  const wasSynced = lifecycle === "adopted" || state.wait?.syncedAt !== undefined || done?.synced !== undefined;
  const silent = sync?.observation.kind === "none" ? sync.observation.reason : undefined;
  const node = (): readonly Sign[] | undefined => {
    if (!looked || unit === undefined) return undefined;
    if (!isDeployed) return [];
    if (!unit.active) return [{ key: "node", text: "its node does not run" }];
    return silent === undefined ? [] : [{ key: "node", text: `its node does not answer: ${silent}` }];
  };
  const sinking = (): readonly Sign[] | undefined => {
    if (!looked || sync === undefined || silent !== undefined) return undefined;
    if (synced || !wasSynced) return [];
    // A momentum that was being taken in at this look says nothing against the sync.
    if (isTakingIn(sync.observation, now)) return undefined;
    return [{ key: "sync", text: `its node was synced, and is not any more: ${progressText(sync)}` }];
  };
  return [
    ["node", node()],
    ["sync", sinking()],
  ];
}

function chainChecks({ view: { parts, lifecycle, pillar }, production }: Look): Check[] {
  const found = told(parts?.registration);
  if (found === undefined || found.kind === "unknown")
    return [
      ["registration", undefined],
      ["producing", undefined],
      ["missed", undefined],
    ];
  const texts: Partial<Record<typeof found.kind, string>> = {
    tooEarly: `${pillar} is registered with its address, and its node is not synced`,
    ...(lifecycle === "active" ? { foreign: `${pillar} is registered with an address that is not known here` } : {}),
    ...("wasOurs" in found && found.wasOurs && lifecycle === "active"
      ? { earlier: `${pillar} went back to another address` }
      : {}),
  };
  const text = texts[found.kind];
  const counted = isOurs(found) ? production : undefined;
  const { missed = 0, inARow = 0 } = counted ?? {};
  const isLate = found.kind === "registered" && found.isLate;
  const row = inARow >= missedLimit ? `: none of its last ${inARow} momentums` : "";
  return [
    ["registration", text === undefined ? [] : [{ key: `registration:${found.kind}`, text }]],
    ["producing", isLate || row !== "" ? [{ key: "producing", text: `${pillar} does not produce${row}` }] : []],
    [
      "missed",
      missed >= missedLimit
        ? [{ key: "missed", text: `${pillar} has missed at least ${missed} momentums of this epoch` }]
        : [],
    ],
  ];
}

function hostChecks({ parts, facts }: View): Check[] {
  const ports = told(parts?.ports);
  return [
    ...factChecks(facts),
    [
      "port",
      // Of a host that is silent none were tried.
      told(parts?.node) !== undefined && parts?.ports === undefined
        ? []
        : ports?.filter(isWrong).map(({ port, what, wanted }) => ({
            key: `port:${port}`,
            text: `${port}/tcp, ${what}, is ${wanted === "closed" ? "open" : "closed"} to this machine, and should be ${wanted}`,
          })),
    ],
  ];
}
