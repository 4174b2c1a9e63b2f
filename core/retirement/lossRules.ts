import type { Journal } from "../orchestrator/rules/journal";
import { commandsFor } from "../util/commands";
import { formatUtcMinute } from "../util/timeText";
import type { HostFacts, HostObservation } from "./readHost";
import {
  collectedVariable,
  combineVerdicts,
  createMetVerdict,
  failWith,
  hasOrchestratorTraces,
  type RetirementFacts,
  type RetirementVerdict,
  type Unmet,
} from "./retirementFacts";
import { findSuccessorFaults } from "./successorOrchestrator";

/** Checks that the rewards since the switch are paid and collected. */
export function checkRewards({ rewards: readings, saysCollected, stack, pillar }: RetirementFacts): RetirementVerdict {
  const fail = failWith("rewards");
  const judged = readings.filter((reading) => reading.says === "collected" || reading.says === "waiting");
  const faults = readings.flatMap((reading) => (reading.says === "fault" ? [`${reading.source}: ${reading.why}`] : []));
  if (judged.length > 0)
    return combineVerdicts(
      judged.map((reading): RetirementVerdict => {
        if (reading.says === "collected") return createMetVerdict(`${reading.evidence}, says ${reading.source}`);
        const { dueAt, rewardAddress } = reading;
        const due = dueAt === undefined ? "" : `; due by about ${formatUtcMinute(dueAt)}`;
        const wallet = rewardAddress === undefined ? "" : ` that holds the reward address, ${rewardAddress}`;
        return fail({
          what: "the rewards since the switch are not collected",
          isCuredByTime: dueAt !== undefined,
          saidBy: [reading.source],
          found: [reading.why],
          needed: `collect them in the wallet${wallet}${due}`,
        });
      }),
    );
  const nothing = readings.flatMap((reading) =>
    reading.says === "paidNothing" ? [`${reading.source}: ${reading.why}`] : [],
  );
  if (nothing.length > 0)
    return saysCollected
      ? createMetVerdict(`the operator confirmed that no rewards of ${pillar} are left to collect`)
      : fail({
          what: "the epoch after the switch paid nothing to the reward address",
          found: nothing,
          needed: `find the reason in the wallet (all rewards go to delegators, or another reward address); then confirm it: write ${collectedVariable}=${pillar} before the command`,
        });
  const silent = readings.filter((reading) => reading.says === "notOffered");
  if (silent.length === 0)
    return fail({
      what: "no node reports whether the rewards since the switch were paid and collected",
      found: faults,
      needed: `start the successor's node, or set pillar-host:retirement.references, then ${commandsFor(stack).up}`,
    });
  if (!silent.every((reading) => reading.says === "notOffered" && reading.aDayAfter))
    return fail({
      what: "less than a day has passed since the switch: its rewards can't have come yet",
      isCuredByTime: true,
      found: [`${silent.map(({ source }) => source).join(", ")}: the RPC does not report rewards`],
      needed: "wait a day, then collect the rewards in the wallet",
    });
  if (saysCollected) return createMetVerdict(`the operator confirmed that the rewards of ${pillar} were collected`);
  return fail({
    what: "the RPC does not report whether the rewards since the switch were collected",
    found: [`${silent.map(({ source }) => source).join(", ")}: the RPC lacks the methods`],
    needed: `check in the wallet that the rewards are collected; then confirm it: write ${collectedVariable}=${pillar} before the command`,
  });
}

/** True if a host's journal says that an orchestrator with this identity works there. */
function isOrchestratorOn(observation: HostObservation, { identity }: Journal): boolean {
  if (!identity || !("facts" in observation)) return false;
  const { journal } = observation.facts.signer;
  const isThere = journal !== undefined && ["running", "restored"].includes(journal.stage);
  const keys = Object.keys(identity);
  return isThere && keys.length > 0 && keys.every((key) => journal.identity?.[key] === identity[key]);
}

/** Formats where the orchestrator's backup is, or that the host has all files for the final backup. */
function backupEvidence({ host, address, backupFaults }: RetirementFacts): string[] {
  if (backupFaults.length === 0) return [`a proved backup of the orchestrator of ${address} lies on this machine`];
  return "facts" in host ? [`${address} holds the whole fenced orchestrator, for the final backup`] : [];
}

/** Stages of a move in which the orchestrator may still come to this host. */
const openStages: readonly string[] = ["stopping", "fenced", "restoring", "staged", "switched", "starting"];

function findOpenMove({ host, address, successor }: RetirementFacts): Omit<Unmet, "loss"> | undefined {
  const journal = "facts" in host ? host.facts.signer.journal : undefined;
  if (journal === undefined || !openStages.includes(journal.stage)) return undefined;
  // The successor's orchestrator was started, so the move no longer rolls back by itself.
  if (journal.stage === "fenced" && successor?.build && "value" in successor.build) return undefined;
  return {
    what: `a move of the orchestrator is not over on this host, ${address}: the orchestrator may still come to this host`,
    found: [`this host's journal: stage ${journal.stage} of a move with ${journal.other.address}, since ${journal.at}`],
    needed: `finish that move: ${commandsFor("SUCCESSOR").up} (SUCCESSOR is the stack that the move goes to)`,
  };
}

/** Checks that no orchestrator can sign on this host, and that the successor's orchestrator answers. */
export function checkOrchestrator(facts: RetirementFacts): RetirementVerdict {
  const { host, step, address } = facts;
  if ("released" in host) return createMetVerdict();
  if ("facts" in host && !hasOrchestratorTraces(host.facts))
    return createMetVerdict(`${address} has no orchestrator on it`);
  if (!("facts" in host) && facts.noOrchestratorAt !== undefined)
    return createMetVerdict(
      `no orchestrator was on ${address} when its node was shut down, at ${facts.noOrchestratorAt}`,
    );
  const fail = failWith("the orchestrator");
  if ("facts" in host && host.facts.signer.active)
    return fail({
      what: `an orchestrator runs on this host, ${address}`,
      needed: `move the orchestrator: ${commandsFor("SUCCESSOR").move(facts.stack)} (SUCCESSOR is the stack of the new host); or stop it by hand`,
    });
  const openMove = findOpenMove(facts);
  if (step === "retire") return openMove ? fail(openMove) : createMetVerdict();
  const unmet = [
    ...(openMove ? [openMove] : []),
    ...("facts" in host ? checkFence(facts, host.facts.signer) : checkBackups(facts)),
  ];
  const build = facts.successor?.build;
  const isReached = facts.successor !== undefined && "facts" in facts.successor.look;
  if (build === undefined || "problem" in build)
    unmet.push({
      what: "the successor's orchestrator does not answer",
      found: [build?.problem ?? (isReached ? "no orchestrator runs there" : "the successor was not reached")],
      needed: `start the successor's orchestrator; this shows its state: ${commandsFor("SUCCESSOR").status()} (SUCCESSOR is its stack)`,
    });
  const version = build && "value" in build ? build.value.version : "";
  return unmet.length > 0
    ? fail(...unmet)
    : createMetVerdict(`the orchestrator ${version} answers on ${facts.successor?.address}`, ...backupEvidence(facts));
}

/** Checks that an orchestrator is fenced, went to the successor, and can still be backed up. */
function checkFence(facts: RetirementFacts, { masked, hasKeyStore, journal, lacks }: HostFacts["signer"]) {
  const { address, stack, successor: next, backupFaults } = facts;
  const unmet: Omit<Unmet, "loss">[] = [];
  if (!masked || hasKeyStore)
    unmet.push({
      what: `the orchestrator on this host, ${address}, is not fenced: it would sign again after a start`,
      found: [`its unit is ${masked ? "masked" : "not masked"}, its key store ${hasKeyStore ? "in place" : "aside"}`],
      needed: `move the orchestrator, which fences it here: ${commandsFor("SUCCESSOR").move(stack)} (SUCCESSOR is the stack of the new host)`,
    });
  const other = journal?.other;
  if (other && next && other.hostKey !== next.hostKey && !isOrchestratorOn(next.look, journal))
    unmet.push({
      what: "the orchestrator moved to another host than the successor",
      found: [
        `this host's journal names ${other.address} with the host key ${other.hostKey}`,
        `pillar-host:retirement.successor is ${next.address} with the host key ${next.hostKey}`,
      ],
      needed:
        "set pillar-host:retirement.successor to the host that the orchestrator moved to, with the host key from its journal",
    });
  // The final backup proves the files that the host has, not that none is missing.
  if (masked && !hasKeyStore && lacks.length > 0 && backupFaults.length > 0)
    unmet.push({
      what: `this machine has no proved backup of the orchestrator that was fenced on ${address}, and the final backup would be incomplete`,
      found: [`the orchestrator's directory there lacks its ${lacks.join(", its ")}`],
      needed: `set pillar-host:orchestrator.backup.directory to the backups of its move, then ${commandsFor(stack).up}; or run this on the machine that has these backups; or put the missing files back in their place`,
    });
  return unmet;
}

/** Checks a silent host's orchestrator by its backup and the successor's orchestrator. */
function checkBackups(facts: RetirementFacts): Omit<Unmet, "loss">[] {
  const { address, backupFaults } = facts;
  if (backupFaults.length === 0) return findSuccessorFaults(facts);
  return [
    {
      what: `it is unknown whether an orchestrator signed on ${address}, and this machine has no proved backup of one`,
      found: backupFaults,
      needed: "start the host, or run this on the machine that has its backups and the key that opens them",
    },
    ...findSuccessorFaults(facts),
  ];
}
