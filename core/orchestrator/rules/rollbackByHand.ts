import { commandsFor } from "../../util/commands";
import { quoteShellWord } from "../../util/quote";
import type { HostStates } from "./hostStates";
import { assignRoles, formatPlainStore, journalFile, type Saga } from "./journal";
import type { HostAddresses } from "./keyLocation";

/**
 * Returns the command that stops a service for good, and prints `inactive` only if each part succeeded. It masks as
 * signer_mask does: `systemctl mask` refuses if the unit's file is in /etc/systemd/system, the usual place.
 */
export function stopForGood(service: string): string {
  const file = `/etc/systemd/system/${service}.service`;
  return `systemctl stop ${service} && { [ ! -f ${file} ] || mv -f ${file} ${file}.moved; } && ln -sfn /dev/null ${file} && systemctl daemon-reload && systemctl is-active ${service}`;
}

export function formatRollbackCommands(saga: Saga, states: HostStates, places: HostAddresses): string[] {
  const { source, target } = assignRoles(saga);
  const { unitFile = "", keyStore = "" } = states[source]?.journal?.was ?? {};
  const service = places.services[source];
  const moveBack = (from: string, to: string) =>
    to === "" ? "" : `mv ${quoteShellWord(from)} ${quoteShellWord(to)} && `;
  const files = moveBack(`${unitFile}.moved`, unitFile) + moveBack(keyStore, formatPlainStore(keyStore));
  return [
    `first on ${places[target]}: ${stopForGood(places.services[target])} (it must say inactive)`,
    `only then on ${places[source]}: systemctl unmask ${service} && ${files}systemctl enable --now ${service}`,
    ...(source === "old" ? [`and for the program, ${asideCommand(places)}`] : []),
  ];
}

/** Returns the command that renames the journals. They record no manual rollback, so they would block later runs. */
function asideCommand({ stack }: HostAddresses): string {
  const run = commandsFor(stack);
  return `on both: mv ${journalFile} ${journalFile}.aside; then ${run.set("orchestrator.rollback", true)} && ${run.up}`;
}

/** Returns a hint if the old host seems to be rolled back by hand, and the new one can't sign. */
export function formatHandRollbackHint({ old, new: fresh }: HostStates, places: HostAddresses): string[] {
  if (!old?.active || !fresh || fresh.active || !fresh.masked) return [];
  // The orchestrator went on to a third host, and signs there.
  if (fresh.journal?.stage === "moved") return [];
  return [`Did you bring it back by hand, and is it to stay there? Then ${asideCommand(places)}`];
}
