import { commandsFor } from "../../util/commands";
import { quoteShellWord } from "../../util/quote";
import type { HostStates } from "./hostStates";
import { assignRoles, formatPlainStore, journalFile, type Saga } from "./journal";
import type { HostAddresses } from "./keyLocation";

/**
 * Returns the command that stops and masks a service, and prints `inactive` only if each part succeeded. Masks as
 * signer_mask does, because `systemctl mask` refuses if the unit's file is in /etc/systemd/system, the usual place.
 */
export function stopForGood(service: string): string {
  const file = `/etc/systemd/system/${service}.service`;
  return `systemctl stop ${service} && { [ ! -f ${file} ] || mv -f ${file} ${file}.moved; } && ln -sfn /dev/null ${file} && systemctl daemon-reload && systemctl is-active ${service}`;
}

/** Returns the commands for a rollback by hand, and those that let the program know of it. */
export function formatRollbackCommands(saga: Saga, states: HostStates, places: HostAddresses): string[] {
  const { source, target } = assignRoles(saga);
  const { unitFile = "", keyStore = "" } = states[source]?.journal?.was ?? {};
  const service = places.services[source];
  const moveBack = (from: string, to: string) =>
    to === "" ? "" : `mv ${quoteShellWord(from)} ${quoteShellWord(to)} && `;
  const files = moveBack(`${unitFile}.moved`, unitFile) + moveBack(keyStore, formatPlainStore(keyStore));
  const run = commandsFor(places.stack);
  // The journals lack a rollback by hand, and would block later runs.
  const aside = `so that the program knows of the rollback, on both hosts: mv ${journalFile} ${journalFile}.aside; then ${run.set("orchestrator.rollback", true)} && ${run.up}`;
  return [
    `first on ${places[target]}: ${stopForGood(places.services[target])} (it must say inactive)`,
    `only then on ${places[source]}: systemctl unmask ${service} && ${files}systemctl enable --now ${service}`,
    ...(source === "old" ? [aside] : []),
  ];
}
