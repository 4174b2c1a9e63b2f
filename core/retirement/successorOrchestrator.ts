import { findIdentityDifferences } from "../chain/orchestrator";
import type { LogEvent, MoveEvent } from "../eventLog/events";
import { formatShareFile, hasShareForKey } from "../orchestrator/backup/keyShare";
import { commandsFor } from "../util/commands";
import type { Condition, RetirementFacts } from "./retirementFacts";

type Facts = Pick<RetirementFacts, "successor" | "bridge" | "identity">;

/** Returns why the successor's orchestrator may not be the silent host's: a new one would answer, too. */
export function findSuccessorFaults({ successor, bridge, identity }: Facts): Condition[] {
  // checkOrchestrator reports a missing answer.
  if (successor?.build === undefined || "problem" in successor.build) return [];
  const unmet: Condition[] = [];
  const shares = "facts" in successor.look ? (successor.look.facts.signer.shares ?? []) : [];
  if (!bridge?.known)
    unmet.push({
      what: "it is unknown whether the successor's orchestrator has a share of the bridge's key",
      found: [bridge?.why ?? "no node could be asked for the bridge's key"],
      needed:
        "start the successor's node, or set pillar-host:retirement.references to a node that answers embedded.bridge.getBridgeInfo",
    });
  else if (!hasShareForKey(bridge.key, shares))
    unmet.push({
      what: "the successor's orchestrator has no share of the bridge's key",
      found: [shares.length > 0 ? shares.join(", ") : "no key share there"],
      needed: `restore on the successor a backup that has ${formatShareFile(bridge.key)} (docs/orchestrator.md), or wait for the next key generation`,
    });
  const { identity: present } = successor;
  const differences = present && identity ? findIdentityDifferences(present, identity) : [];
  if (identity !== undefined && (present === undefined || differences.length > 0))
    unmet.push({
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
export function isOrchestratorThere(facts: Facts): boolean {
  const { build } = facts.successor ?? {};
  return (
    build !== undefined && "value" in build && facts.identity !== undefined && findSuccessorFaults(facts).length === 0
  );
}

export function findOrchestratorIdentity(lines: readonly (LogEvent | MoveEvent)[]): Facts["identity"] {
  const identities = lines.flatMap((line) => (line.event === "secured" ? [line.details.oldIdentity] : []));
  const { producer, tssPeerId, evmAddress } = identities.findLast((each) => each) ?? {};
  return producer === undefined ? undefined : { producer, tssPeerId, evmAddress };
}
