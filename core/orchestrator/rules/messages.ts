import { type Commands, commandsFor } from "../../util/commands";
import { shellWord } from "../../util/quote";
import { unattendedLines } from "../../util/unattended";
import { journalFile, plainStore, type Saga, sidesOf } from "./journal";
import { journalOf, type Looks } from "./sagaLooks";
import { type Places, whereItIs } from "./whereItIs";

/** Why a run that nobody watches does no step of a move, and where the signer is. */
export function notWatched(looks: Looks, places: Places): string {
  const [what, ...rest] = unattendedLines("the signer is moved", "up", places.stack);
  return [`${what}; this one moved nothing`, whereItIs(looks, places), ...rest].join("\n");
}

/** What was done about a step that failed before its target was started. */
export function stepFailed(failure: string, looks: Looks, places: Places): string {
  const { up } = commandsFor(places.stack);
  return [failure, whereItIs(looks, places), `  Fix what is said above, then: ${up}`].join("\n");
}

/**
 * Stops a service for good, by hand: as signer_mask does, because `systemctl mask` refuses where the unit's file
 * lies in /etc/systemd/system, the usual place. Only where each step came to pass does the last one say `inactive`.
 */
export function stopForGood(service: string): string {
  const file = `/etc/systemd/system/${service}.service`;
  return `systemctl stop ${service} && { [ ! -f ${file} ] || mv -f ${file} ${file}.moved; } && ln -sfn /dev/null ${file} && systemctl daemon-reload && systemctl is-active ${service}`;
}

/** The commands, by hand, that bring the signer back to a host. */
export function commandsBack(saga: Saga, looks: Looks, places: Places): string[] {
  const { source, target } = sidesOf(saga);
  const { unitFile = "", keyStore = "" } = journalOf(looks[source])?.was ?? {};
  const service = places.services[source];
  const back = (from: string, to: string) => (to === "" ? "" : `mv ${shellWord(from)} ${shellWord(to)} && `);
  const moved = back(`${unitFile}.moved`, unitFile) + back(keyStore, plainStore(keyStore));
  return [
    `  first on ${places[target]}: ${stopForGood(places.services[target])} (it must say inactive)`,
    `  only then on ${places[source]}: systemctl unmask ${service} && ${moved}systemctl enable --now ${service}`,
    ...(source === "old" ? [`  and for the program, ${journalsAside(places)}`] : []),
  ];
}

/** Journals that know nothing of what an operator did by hand are in the way of every later run. */
function journalsAside({ stack }: Places): string {
  const run = commandsFor(stack);
  return `on both: mv ${journalFile} ${journalFile}.aside; then ${run.set("orchestrator.rollback", true)} && ${run.up}`;
}

/** What to type where the old side was brought back by hand, as the commands above tell, and the new one can't sign. */
export function broughtBack({ old, new: fresh }: Looks, places: Places): string[] {
  if (old === "outOfSight" || !old.active || fresh === "outOfSight" || fresh.active || !fresh.masked) return [];
  // From there it went on to a third host, where it signs.
  if (fresh.journal?.stage === "moved") return [];
  return [`  Did you bring it back by hand, and is it to stay there? Then ${journalsAside(places)}`];
}

/** What is typed where a signer came to its host by hand, and the record can't know. */
export function broughtByHand({ set, up }: Commands, generation: number, why = "You brought it here yourself"): string {
  const word = set("orchestrator.migrateFrom.laterThanMove", generation);
  return `${why}, and it can start nowhere else (docs/orchestrator.md)? ${word} && ${up}`;
}

/** Formats the problem, the need and the command where the record can't tell where the signer is. @param generation that a host knows */
export function unknownPastText(why: "record behind" | "first move", run: Commands, generation = 0): readonly string[] {
  const bring =
    "bring the record of the machine that moved it last (docs/unattended.md): the signer may be at work elsewhere";
  if (why === "record behind")
    return [
      "the record knows less of this signer's moves than its hosts",
      bring,
      broughtByHand(run, generation, "That record is lost"),
    ];
  const word = run.set("orchestrator.migrateFrom.firstMove", "acknowledged");
  return [
    "no move of this signer is known, neither by the record nor by a journal",
    `your word, once, that no move of it ever began; did one? Then ${bring}`,
    `It was never moved? ${word} && ${run.up}`,
  ];
}
