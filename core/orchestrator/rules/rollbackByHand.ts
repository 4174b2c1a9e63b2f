import { commandsFor } from "../../util/commands";
import { shellWord } from "../../util/quote";
import { journalFile, plainStore, type Saga, sidesOf } from "./journal";
import type { Looks } from "./sagaLooks";
import type { Places } from "./whereItIs";

/**
 * Returns the command that stops a service for good, and prints `inactive` only if each part succeeded. It masks as
 * signer_mask does: `systemctl mask` refuses if the unit's file is in /etc/systemd/system, the usual place.
 */
export function stopForGood(service: string): string {
  const file = `/etc/systemd/system/${service}.service`;
  return `systemctl stop ${service} && { [ ! -f ${file} ] || mv -f ${file} ${file}.moved; } && ln -sfn /dev/null ${file} && systemctl daemon-reload && systemctl is-active ${service}`;
}

export function rollbackCommands(saga: Saga, looks: Looks, places: Places): string[] {
  const { source, target } = sidesOf(saga);
  const { unitFile = "", keyStore = "" } = looks[source]?.journal?.was ?? {};
  const service = places.services[source];
  const moveBack = (from: string, to: string) => (to === "" ? "" : `mv ${shellWord(from)} ${shellWord(to)} && `);
  const files = moveBack(`${unitFile}.moved`, unitFile) + moveBack(keyStore, plainStore(keyStore));
  return [
    `  first on ${places[target]}: ${stopForGood(places.services[target])} (it must say inactive)`,
    `  only then on ${places[source]}: systemctl unmask ${service} && ${files}systemctl enable --now ${service}`,
    ...(source === "old" ? [`  and for the program, ${asideCommand(places)}`] : []),
  ];
}

/** Returns the command that renames the journals. They record no manual rollback, so they would block later runs. */
function asideCommand({ stack }: Places): string {
  const run = commandsFor(stack);
  return `on both: mv ${journalFile} ${journalFile}.aside; then ${run.set("orchestrator.rollback", true)} && ${run.up}`;
}

/** Returns a hint if the old host seems to be rolled back by hand, and the new one can't sign. */
export function rollbackByHandHint({ old, new: fresh }: Looks, places: Places): string[] {
  if (!old?.active || !fresh || fresh.active || !fresh.masked) return [];
  // The orchestrator went on to a third host, and signs there.
  if (fresh.journal?.stage === "moved") return [];
  return [`  Did you bring it back by hand, and is it to stay there? Then ${asideCommand(places)}`];
}
