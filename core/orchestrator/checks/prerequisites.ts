import { commandsFor } from "../../util/commands";
import { fault, key, margin, size } from "./faultText";
import type { MoveSurvey, Requirements } from "./findings";
import { homeFaults } from "./homeFaults";
import { newFaults } from "./newFaults";
import { oldFaults } from "./oldFaults";
import { bridgeHinders } from "./stoppedState";

/**
 * All that stands against a move (docs/specification.md, 1.2, step 1). One text each: what is wrong, found,
 * needed, the command to run next.
 */
export function moveFaultsOf(survey: MoveSurvey, wanted: Requirements): string[] {
  const run = commandsFor(wanted.stack);
  const newJournal = "value" in survey.new ? survey.new.value.facts.journal : undefined;
  const bytes = "value" in survey.old ? survey.old.value.facts.bytes : 0;
  return [
    ...("problem" in survey.old
      ? [unseen("old", wanted, survey.old.problem)]
      : [...oldFaults(survey.old.value, wanted, newJournal), ...homeFaults(survey.old.value, survey, wanted)]),
    ...("problem" in survey.new
      ? [unseen("new", wanted, survey.new.problem)]
      : newFaults(survey.new.value, survey, wanted, bytes)),
    ...(survey.node.synced
      ? []
      : [
          fault(
            `${wanted.new.address}: the node is not synced now`,
            survey.node.why,
            "a synced node: the orchestrator waits for it, and the bridge for the orchestrator",
            `Wait until it is, then run ${run.up} again.`,
          ),
        ]),
    ...bridgeFaults(survey, wanted),
    ...(survey.room >= bytes + margin
      ? []
      : [
          fault(
            "this machine has no room for the backup",
            `${size(survey.room)} free at ${wanted.backupDirectory}`,
            size(bytes + margin),
            `Make room, or: ${run.set("orchestrator.backup.directory", "DIRECTORY")}`,
          ),
        ]),
  ];
}

/** What its own getStatus tells is told once. */
function bridgeFaults({ old, bridge }: MoveSurvey, wanted: Requirements): string[] {
  const status = "value" in old ? old.value.status : undefined;
  const itsOwn = status !== undefined && "value" in status ? status.value?.state : undefined;
  const hindrance = bridgeHinders(bridge, wanted.haltedBridge, commandsFor(wanted.stack));
  if (hindrance === undefined || (bridge.known && bridge.state === itsOwn)) return [];
  return [fault(hindrance.what, hindrance.found, hindrance.needed, hindrance.next)];
}

function unseen(side: "old" | "new", wanted: Requirements, error: string): string {
  const run = commandsFor(wanted.stack);
  const login = side === "old" ? `${key}.migrateFrom` : "pillar-host:ssh";
  return fault(
    `${wanted[side].address}: the ${side} host can't be looked at`,
    error.replaceAll("\n", "\n  "),
    `a running host that accepts a login of root, or of a user with sudo (${login})`,
    `See it with: ssh -v ${wanted[side].address}, as the user and on the port of ${login}. Then run ${run.up} again.`,
  );
}
