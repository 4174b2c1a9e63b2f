import { type BackupOf, takeBackup } from "../orchestrator/backup";
import type { RootHost } from "../ssh/root";
import { resolvePath } from "../util/resolvePath";
import type { RetirementLog } from "./events";
import { type HostFacts, type HostPlaces, placeVariables } from "./host";
import type { RetirementInputs } from "./inputs";
import type { SurveyDeps } from "./survey";

/**
 * Stops what runs on a host that is let go, so that it stays off, behind a last backup of its keys and configuration.
 *
 * @throws Error in words; where there is no backup, the node runs on
 */
export async function shutDown(
  root: RootHost,
  inputs: RetirementInputs,
  { hasKeyStore, signer, node }: HostFacts,
  book: RetirementLog,
  deps: SurveyDeps,
): Promise<void> {
  const { places, backup, stack, pillar } = inputs;
  const variables = placeVariables(places);
  const { directory, identityFile } = backup;
  const settings = {
    directory: resolvePath(directory),
    move: `pillar-host/${stack}/${pillar}`,
    identityFile: identityFile === undefined ? undefined : resolvePath(identityFile),
  };
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
  if (hasKeyStore && !node.masked) book.write("shuttingDown", { address: root.address });
  await stopNode(root, places, (line) => deps.say(`retirement: ${line}`));
  deps.say(`retirement: the node of ${root.address} is stopped, and stays off`);
  await root.call("retire_let_go", variables);
  if (inputs.keysAside) for (const line of linesOf(await root.call("retire_keys_aside", variables))) deps.say(line);
  if (node.active) book.write("shutDown", { address: root.address, evidence: ["stopped, disabled and masked"] });
}

/** Seconds: beyond those that the node gets, and systemd after it (core/steps/nodeStop.sh). */
const stopLimit = 720;

/** Stops the node of a host, so that it stays off; @param say hears what the host has to tell of it */
export async function stopNode(root: RootHost, places: HostPlaces, say: (line: string) => void): Promise<void> {
  const told = await root.call("retire_stop", placeVariables(places), { limitSeconds: stopLimit });
  for (const line of linesOf(told)) say(line);
}

/** The backup's own words advise another `pulumi up`. */
function backupText(message: string, stack: string): string {
  const text = message.replace(/(?:\n *|, |(?<=[.?]) )[Tt]hen run pulumi up again\.$/, "");
  return [
    `the last backup could not be taken, and without it the host is not let go: ${text}`,
    `  Then: pulumi destroy -s ${stack} (after a change of the configuration: pulumi up -s ${stack} before it)`,
  ].join("\n");
}

const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");

/** Keys and configuration of the node, and the fenced signer's directory (pure). */
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
