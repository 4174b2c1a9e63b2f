import type { EventLog } from "../eventLog/eventLog";
import { type BackupOf, takeBackup } from "../orchestrator/backup/backup";
import { placed } from "../orchestrator/backup/backupPlace";
import { own } from "../ssh/foreign";
import type { RootHost } from "../ssh/root";
import { commandsFor } from "../util/commands";
import type { RetirementInputs } from "./guardInputs";
import { type HostFacts, type HostPlaces, placeVariables } from "./readHost";
import type { SurveyDeps } from "./surveyRetirement";

/** The host that is shut down, and where that is recorded. */
interface Shutdown {
  readonly inputs: RetirementInputs;
  readonly facts: HostFacts;
  readonly log: EventLog;
  /** The operator typed that nothing counts, a move of the signer neither. */
  readonly isForced: boolean;
}

/**
 * Stops what runs on a host that is let go, so that it stays off, behind a last backup of its keys and configuration.
 *
 * @throws Error in words; where there is no backup, the node runs on
 */
export async function shutDown(
  root: RootHost,
  { inputs, facts: { hasKeyStore, signer, node }, log, isForced }: Shutdown,
  deps: SurveyDeps,
): Promise<void> {
  const { places, backup, stack, pillar } = inputs;
  const variables = own(placeVariables(places));
  const settings = placed({ ...backup, move: { project: "pillar-host", stack, pillar } });
  // Only by the operator's sentence: what is copied must stand still.
  if (signer.active) {
    await root.call("retire_stop_signer", variables, { limitSeconds: 200 });
    deps.say(`retirement: the orchestrator of ${root.address} is stopped, and stays off`);
  }
  // Before the stop: where there is no room for it, nothing has changed.
  if (hasKeyStore || signer.hasDirectory)
    await takeBackup(root, lastBackupOf(places), settings, deps).catch((error: Error) => {
      throw new Error(backupText(error.message, stack));
    });
  if (hasKeyStore && !node.masked) await log.add({ event: "shuttingDown", details: { address: root.address } });
  await stopNode(root, places, (line) => deps.say(`retirement: ${line}`), isForced);
  deps.say(`retirement: the node of ${root.address} is stopped, and stays off`);
  await root.call("retire_let_go", variables);
  if (inputs.keysAside) for (const line of linesOf(await root.call("retire_keys_aside", variables))) deps.say(line);
  const details = { address: root.address, evidence: ["stopped, disabled and masked"] };
  if (node.active) await log.add({ event: "shutDown", details });
}

/** Seconds: beyond those that the node gets, and systemd after it (core/steps/node/nodeStop.sh). */
const stopLimit = 720;

/**
 * Stops the node of a host, so that it stays off.
 *
 * @param say hears what the host has to tell of it
 * @throws where a move of the signer that is not over there may need it, unless `inSpite` of that
 */
export async function stopNode(
  root: RootHost,
  places: HostPlaces,
  say: (line: string) => void,
  inSpite = false,
): Promise<void> {
  const variables = own({ ...placeVariables(places), in_spite: inSpite });
  const told = await root.call("retire_stop", variables, { limitSeconds: stopLimit });
  for (const line of linesOf(told)) say(line);
}

function backupText(message: string, stack: string): string {
  const { up, destroy } = commandsFor(stack);
  return [
    `the last backup could not be taken, and without it the host is not released: ${message}`,
    `  Then: ${destroy} (after a change of the configuration, before it: ${up})`,
  ].join("\n");
}

const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");

/** Keys and configuration of the node, and the fenced signer's directory. */
function lastBackupOf({ dataDir, signer }: HostPlaces): BackupOf {
  const below = (file: string) => file.replace(/^\/+/, "");
  const [node, orchestrator] = [below(dataDir), below(signer.directory)];
  return {
    label: "retired",
    place: {
      base: "/",
      paths: [`${node}/wallet`, `${node}/config.json`, `${node}/network-private-key`, orchestrator],
    },
    changing: [],
    isJson: (file) => file === `${node}/config.json`,
  };
}
