import { findIdentityDifferences } from "../chain/orchestrator.ts";
import type { LogEntry } from "../eventLog/events.ts";
import { formatShareFile, hasShareForKey } from "../host/shareFileName.ts";
import { findConnectionsTo, useOwnNode } from "../orchestrator/rules/endpoints.ts";
import { lookUpStage } from "../orchestrator/rules/journalStages.ts";
import { commandsFor } from "../util/commands.ts";
import { takeValue } from "../util/result.ts";
import { formatUtcMinute } from "../util/timeText.ts";
import type { HostFacts } from "./readHost.ts";
import type { RewardsReading } from "./readRewards.ts";
import {
  type Condition,
  createCondition,
  findSuccessorFacts,
  hasOrchestratorTraces,
  type Judgement,
  type Judgements,
  listSharesBeside,
  type RetirementFacts,
} from "./retirementFacts.ts";

export function checkRewards({ rewards, stack }: RetirementFacts): Judgements {
  const { up } = commandsFor(stack);
  const list = (says: RewardsReading["says"]) => rewards.filter((reading) => reading.says === says);
  const judged = [
    ...list("collected").map(({ text, source }) => `${text}, says ${source}`),
    ...list("waiting").map(({ source, text, dueAt, rewardAddress }) =>
      createCondition("rewardsWaiting", {
        what: "the rewards since the switch are not collected",
        isCuredByTime: dueAt !== undefined,
        saidBy: [source],
        found: [text],
        needed: `collect them in the wallet that holds the reward address, ${rewardAddress}${formatDue(dueAt)}`,
      }),
    ),
  ];
  if (judged.length > 0) return judged;
  return createCondition("rewardsUnknown", {
    what: "no node can tell whether the rewards since the switch were paid and collected",
    found: rewards.map(({ source, text }) => `${source}: ${text}`),
    needed: `start the successor's node, or set pillar-host:retirement.references, then ${up}; if no node can tell even then, see in the wallet that none is left to collect`,
  });
}

function formatDue(dueAt: number | undefined): string {
  return dueAt === undefined ? "" : `; due by about ${formatUtcMinute(dueAt)}`;
}

/** Checks that no orchestrator can sign on this host, and that the successor's orchestrator answers. */
export function checkOrchestrator(facts: RetirementFacts): Judgements {
  const { host, step, stack, address, noOrchestratorAt } = facts;
  const seen = "facts" in host ? host.facts : undefined;
  if (seen && !hasOrchestratorTraces(seen)) return `${address} has no orchestrator on it`;
  if (!seen && noOrchestratorAt !== undefined)
    return `no orchestrator was on ${address} when its node was shut down, at ${noOrchestratorAt}`;
  if (seen?.orchestrator.active)
    return createCondition("orchestratorRuns", {
      what: `an orchestrator runs on this host, ${address}`,
      needed: `move the orchestrator: ${commandsFor("SUCCESSOR").move(stack)} (SUCCESSOR is the stack of the new host)`,
    });
  const openMove = checkOpenMove(facts, seen?.orchestrator.journal);
  if (step === "retire") return openMove;
  return [openMove, seen ? checkFence(facts, seen.orchestrator) : checkBackups(facts), checkAnswer(facts)].flat();
}

/** Checks that the successor's orchestrator uses no node of this host. One that does not run is reported elsewhere. */
export function checkNodeOfOrchestrator({ host, address, successor }: RetirementFacts): Judgements {
  const next = findSuccessorFacts(successor)?.orchestrator;
  if (!next?.active) return [];
  const { connections = [] } = next;
  const own = [address, ...(("facts" in host && host.facts.addresses) || [])];
  const found = findConnectionsTo(connections, own).map((each) => `a connection of its process to ${each}`);
  if (connections.length === 0) found.push("no connection of its process: does its unit restart it again and again?");
  if (found.length === 0) return `the successor's orchestrator has no connection to ${address}`;
  return createCondition("connected", {
    what: `nothing proves that the successor's orchestrator runs without a node of this host, ${address}`,
    found,
    needed: `connections to other nodes alone: ${useOwnNode}`,
  });
}

/** Checks that the bridge's present key share does not lie on this host alone, where no orchestrator uses it. */
export function checkSharesBeside({ host, step, address, bridge, successor }: RetirementFacts): Judgements {
  const found = listSharesBeside(host);
  if (step === "retire" || found.length === 0) return [];
  if (!bridge?.known)
    return createCondition("shareUnknown", {
      what: `it is unknown whether a key share on ${address}, outside of its orchestrator's directory, is of the bridge's present key`,
      found: [...found, bridge?.why ?? "no node could be asked for the bridge's key"],
      needed: askForKey,
    });
  // A kept share has its hash before its name (copy_kept in core/steps/orchestrator/copy.sh).
  const name = formatShareFile(bridge.key).replace("tss/", "");
  if (!found.some((file) => file.endsWith(name)))
    return `the key shares outside of the orchestrator's directory of ${address} are of earlier keys`;
  if (hasShareForKey(bridge.key, findSuccessorFacts(successor)?.orchestrator.shares ?? []))
    return "the successor's orchestrator has the share of the bridge's present key";
  return createCondition("shareHereAlone", {
    what: `a share of the bridge's present key lies on ${address}, and the successor's orchestrator lacks it`,
    found,
    needed:
      "finish the move that brought it there, or restore on the successor a backup that has it (docs/orchestrator.md)",
  });
}

const askForKey =
  "start the successor's node, or set pillar-host:retirement.references to a node that answers embedded.bridge.getBridgeInfo";

function checkOpenMove(
  { address, successor }: RetirementFacts,
  journal: HostFacts["orchestrator"]["journal"],
): Judgements {
  if (journal === undefined || !lookUpStage(journal.stage).isOpen) return [];
  // The successor's orchestrator was started, so the move no longer rolls back by itself.
  if (journal.stage === "fenced" && takeValue(successor?.build)) return [];
  return createCondition("openMove", {
    what: `a move of the orchestrator is not over on this host, ${address}: the orchestrator may still come to this host`,
    found: [`this host's journal: stage ${journal.stage} of a move with ${journal.other.address}, since ${journal.at}`],
    needed: `finish that move: ${commandsFor("SUCCESSOR").up} (SUCCESSOR is the stack that the move goes to)`,
  });
}

/** Checks that an orchestrator is fenced, went to the successor, and can still be backed up. */
function checkFence(
  facts: RetirementFacts,
  { masked, hasKeyStore, journal, lacks }: HostFacts["orchestrator"],
): Judgement[] {
  const { address, stack, successor: next, backupFaults } = facts;
  const judged: Judgement[] = [];
  if (!masked || hasKeyStore)
    judged.push({
      kind: "notFenced",
      what: `the orchestrator on this host, ${address}, is not fenced: it would sign again after a start`,
      found: [`its unit is ${masked ? "masked" : "not masked"}, its key store ${hasKeyStore ? "in place" : "aside"}`],
      needed: `move the orchestrator, which fences it here: ${commandsFor("SUCCESSOR").move(stack)} (SUCCESSOR is the stack of the new host)`,
    });
  if (journal && next && journal.other.hostKey !== next.hostKey && !isOrchestratorOn(next, journal.identity))
    judged.push({
      kind: "movedElsewhere",
      what: "the orchestrator moved to another host than the successor",
      found: [
        `this host's journal names ${journal.other.address} with the host key ${journal.other.hostKey}`,
        `pillar-host:retirement.successor is ${next.address} with the host key ${next.hostKey}`,
      ],
      needed:
        "set pillar-host:retirement.successor to the host that the orchestrator moved to, with the host key from its journal",
    });
  if (backupFaults.length === 0) judged.push(backupEvidence(address));
  else if (lacks.length === 0) judged.push(`${address} holds the whole fenced orchestrator, for the final backup`);
  // The final backup proves the files that the host has, not that none is missing.
  else if (masked && !hasKeyStore)
    judged.push({
      kind: "incomplete",
      what: `this machine has no proved backup of the orchestrator that was fenced on ${address}, and the final backup would be incomplete`,
      found: [`the orchestrator's directory there lacks its ${lacks.join(", its ")}`],
      needed: `set pillar-host:orchestrator.backup.directory to the backups of its move, then ${commandsFor(stack).up}; or run this on the machine that has these backups; or put the missing files back in their place`,
    });
  return judged;
}

const backupEvidence = (address: string) => `a proved backup of the orchestrator of ${address} lies on this machine`;

/** True if the successor's journal says that an orchestrator with this identity works there. */
function isOrchestratorOn(
  successor: RetirementFacts["successor"],
  identity: Readonly<Record<string, unknown>> | null | undefined,
): boolean {
  const journal = findSuccessorFacts(successor)?.orchestrator.journal;
  if (!identity || !journal || lookUpStage(journal.stage).key !== "rests") return false;
  const keys = Object.keys(identity);
  return keys.length > 0 && keys.every((key) => journal.identity?.[key] === identity[key]);
}

/** Checks a silent host's orchestrator by its backup and the successor's orchestrator. */
function checkBackups(facts: RetirementFacts): Judgement[] {
  const { address, backupFaults } = facts;
  const faults = findSuccessorFaults(facts);
  if (backupFaults.length === 0) return [backupEvidence(address), ...faults];
  return [
    createCondition("noBackup", {
      what: `it is unknown whether an orchestrator signed on ${address}, and this machine has no proved backup of one`,
      found: backupFaults,
      needed: "start the host, or run this on the machine that has its backups and the key that opens them",
    }),
    ...faults,
  ];
}

function checkAnswer({ successor }: RetirementFacts): Judgements {
  const build = successor?.build;
  if (build && "value" in build) return `the orchestrator ${build.value.version} answers on ${successor?.address}`;
  return createCondition("orchestratorSilent", {
    what: "the successor's orchestrator does not answer",
    found: [
      build?.problem ??
        (findSuccessorFacts(successor) ? "no orchestrator runs there" : "the successor was not reached"),
    ],
    needed: `start the successor's orchestrator; this shows its state: ${commandsFor("SUCCESSOR").status()} (SUCCESSOR is its stack)`,
  });
}

type SuccessorFacts = Pick<RetirementFacts, "successor" | "bridge" | "identity">;

/** Returns why the successor's orchestrator may not be the silent host's: a new one would answer, too. */
function findSuccessorFaults({ successor, bridge, identity }: SuccessorFacts): Condition[] {
  // checkOrchestrator reports a missing answer.
  if (!successor || takeValue(successor.build) === undefined) return [];
  const unmet: Condition[] = [];
  const shares = findSuccessorFacts(successor)?.orchestrator.shares ?? [];
  if (!bridge?.known)
    unmet.push({
      kind: "successorShareUnknown",
      what: "it is unknown whether the successor's orchestrator has a share of the bridge's key",
      found: [bridge?.why ?? "no node could be asked for the bridge's key"],
      needed: askForKey,
    });
  else if (!hasShareForKey(bridge.key, shares))
    unmet.push({
      kind: "successorWithoutShare",
      what: "the successor's orchestrator has no share of the bridge's key",
      found: [shares.length > 0 ? shares.join(", ") : "no key share there"],
      needed: `restore on the successor a backup that has ${formatShareFile(bridge.key)} (docs/orchestrator.md), or wait for the next key generation`,
    });
  const { identity: present } = successor;
  const differences = present && identity ? findIdentityDifferences(present, identity) : [];
  if (identity !== undefined && (present === undefined || differences.length > 0))
    unmet.push({
      kind: "otherIdentity",
      what: "nothing confirms that the successor's orchestrator is the one that this host had",
      found: [
        present
          ? `its ${differences.join(", its ")} is another`
          : "the successor's orchestrator does not answer getIdentity",
      ],
      needed: `move this host's orchestrator to the successor; check that with: ${commandsFor("SUCCESSOR").status()} (SUCCESSOR is its stack)`,
    });
  return unmet;
}

/** True if all evidence says that the orchestrator works on the successor: an older backup is enough then. */
export function isOrchestratorThere(facts: SuccessorFacts): boolean {
  const hasBuild = takeValue(facts.successor?.build) !== undefined;
  return hasBuild && facts.identity !== undefined && findSuccessorFaults(facts).length === 0;
}

export function findOrchestratorIdentity(lines: readonly LogEntry[]): RetirementFacts["identity"] {
  const identities = lines.flatMap((line) => (line.event === "secured" ? [line.details.oldIdentity] : []));
  const { producer, tssPeerId, evmAddress } = identities.findLast((each) => each) ?? {};
  return producer === undefined ? undefined : { producer, tssPeerId, evmAddress };
}
