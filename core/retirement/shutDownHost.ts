import type { EventLog } from "../eventLog/eventLog.ts";
import { createPathVariables, type HostPaths } from "../host/hostPaths.ts";
import { takeBackup } from "../orchestrator/backup/backup.ts";
import { markOwn } from "../ssh/foreign.ts";
import type { RootHost } from "../ssh/root.ts";
import { commandsFor } from "../util/commands.ts";
import { ProblemError } from "../util/problem.ts";
import { chooseLastBackup } from "./backupRule.ts";
import type { HostFacts } from "./readHost.ts";
import type { RetirementInputs } from "./retirementInputs.ts";
import type { SurveyDeps } from "./surveyRetirement.ts";

/**
 * Takes a final backup of keys and configuration, then stops node and orchestrator for good. `isForced`: the operator
 * overrides every condition, even a move that is not over. @throws Error in the operator's words; if the backup fails,
 * the node continues to run
 */
export async function shutDownHost(
  root: RootHost,
  request: { inputs: RetirementInputs; facts: HostFacts; log: EventLog; isForced: boolean },
  deps: SurveyDeps,
): Promise<void> {
  const { log, isForced } = request;
  const { places, backup, stack, pillar } = request.inputs;
  const { hasKeyStore, orchestrator, node } = request.facts;
  const variables = markOwn(createPathVariables(places));
  const place = { ...backup, move: { project: "pillar-host", stack, pillar } };
  // The orchestrator runs here only after an override. Its files must not change during the backup.
  if (orchestrator.active) {
    await root.call("retire_stop_orchestrator", variables, { limitSeconds: 200 });
    deps.say(`retirement: the orchestrator of ${root.address} is stopped, and stays off`);
  }
  // Back up before the node's stop: without room for the backup, the node stays as it is.
  const last = chooseLastBackup(places, request.facts);
  if (last)
    await takeBackup(root, last, place, deps).catch(({ message }: Error) => {
      const { up, destroy } = commandsFor(stack);
      throw new ProblemError({
        what: `the final backup could not be taken, and without it the host is not released: ${message}`,
        next: `Then: ${destroy} (after a change of the configuration: first ${up})`,
      });
    });
  if (hasKeyStore && !node.masked) await log.add({ event: "shuttingDown", details: { address: root.address } });
  await stopNode(root, { places, orchestrator, isForced }, (line) => deps.say(`retirement: ${line}`));
  deps.say(`retirement: the node of ${root.address} is stopped, and stays off`);
  await root.call("retire_remove_settings", variables);
  const details = { address: root.address, evidence: ["stopped, disabled and masked"] };
  if (node.active) await log.add({ event: "shutDown", details });
}

/**
 * Stops a node for good. @throws if a move that is not over may need the node, unless `isForced`, or if it has another
 * stage than the one by which that was allowed
 */
export async function stopNode(
  root: RootHost,
  {
    places,
    orchestrator,
    isForced = false,
  }: { places: HostPaths; orchestrator: HostFacts["orchestrator"]; isForced?: boolean },
  say: (line: string) => void,
) {
  // The guard allows no other open stage: it has asked the successor (checkOpenMove in lossRules.ts).
  const judged = orchestrator.journal?.stage === "fenced" ? "fenced" : "";
  const variables = markOwn({ ...createPathVariables(places), in_spite: isForced, judged });
  // Longer than node and systemd take for a stop (core/steps/node/nodeStop.sh).
  const printed = await root.call("retire_stop", variables, { limitSeconds: 720 });
  for (const line of printed.split("\n")) if (line.trim() !== "") say(line);
}
