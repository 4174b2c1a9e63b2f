import { isSameMove, moveText } from "../eventLog/moveId";
import { type Commands, commandsFor } from "../util/commands";
import { shellWord } from "../util/quote";
import { unattendedLines } from "../util/unattended";
import type { Obstacle } from "./decide";
import { journalFile, plainStore, type Saga, type SideName, sidesOf } from "./journal";
import type { Looks, SideLook } from "./sagaLooks";
import { type Places, whereItIs } from "./whereItIs";

function journalOf(look: SideLook) {
  return look === "outOfSight" ? undefined : look.journal;
}

/** Why a run that nobody watches does no step of a move, and where the signer is (pure). */
export function notWatched(looks: Looks, places: Places): string {
  const [what, ...rest] = unattendedLines("the signer is moved", "up", places.stack);
  return [`${what}; this one moved nothing`, whereItIs(looks, places), ...rest].join("\n");
}

/** What was done about a step that failed before its target was started (pure). */
export function stepFailed(failure: string, looks: Looks, places: Places): string {
  const { up } = commandsFor(places.stack);
  return [failure, whereItIs(looks, places), `  Fix what is said above, then: ${up}`].join("\n");
}

/**
 * Stops a service for good, by hand (pure): as signer_mask does, because `systemctl mask` refuses where the unit's file
 * lies in /etc/systemd/system, the usual place. Only where each step came to pass does the last one say `inactive`.
 */
export function stopForGood(service: string): string {
  const file = `/etc/systemd/system/${service}.service`;
  return `systemctl stop ${service} && { [ ! -f ${file} ] || mv -f ${file} ${file}.moved; } && ln -sfn /dev/null ${file} && systemctl daemon-reload && systemctl is-active ${service}`;
}

/** The commands, by hand, that bring the signer back to a host (pure). */
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
function broughtBack({ old, new: fresh }: Looks, places: Places): string[] {
  if (old === "outOfSight" || !old.active || fresh === "outOfSight" || fresh.active || !fresh.masked) return [];
  // From there it went on to a third host, where it signs.
  if (fresh.journal?.stage === "moved") return [];
  return [`  Did you bring it back by hand, and is it to stay there? Then ${journalsAside(places)}`];
}

/** What is typed where a signer came to its host by hand, and the record can't know (pure). */
export function broughtByHand({ set, up }: Commands, generation: number, why = "You brought it here yourself"): string {
  const word = set("orchestrator.migrateFrom.laterThanMove", generation);
  return `${why}, and it can start nowhere else (docs/restore.md)? ${word} && ${up}`;
}

/** Formats the problem, the need and the command where the record can't tell where the signer is (pure). @param generation that a host knows */
export function unknownPastText(why: "record behind" | "first move", run: Commands, generation = 0): readonly string[] {
  const bring =
    "bring the record of the machine that moved it last (docs/teams.md): the signer may be at work elsewhere";
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

function generationsFound(looks: Looks): string[] {
  return (["old", "new"] as const).map((side) => {
    const journal = journalOf(looks[side]);
    const { move, stage, generation = 0 } = journal ?? {};
    return `  found on the ${side} side: ${move ? `${stage} in ${moveText(move)}, generation ${generation}` : "no journal"}`;
  });
}

/** Why nothing is done, where the key is, and what comes next (pure). */
export function obstacleText(why: Obstacle, saga: Saga, looks: Looks, places: Places, failure?: string): string {
  const { source, target } = sidesOf(saga);
  const at = (side: SideName) => `the ${side} side (${places[side]})`;
  const unit = places.services;
  const stopIt = (side: SideName) => `on ${places[side]}: ${stopForGood(unit[side])} (it must say inactive)`;
  const run = commandsFor(places.stack);
  const { up } = run;
  const rollback = saga.direction === "forward" ? `${run.set("orchestrator.rollback", true)} && ${up}` : undefined;
  const theirs = [looks.new, looks.old]
    .map(journalOf)
    .find((journal) => journal && isSameMove(journal.move, saga.move));
  const isAtWork = theirs?.stage !== "moved" && theirs?.stage !== "running" && theirs?.stage !== "restored";
  const unknown = (gap: Parameters<typeof unknownPastText>[0]) => {
    const [what, needed, next] = unknownPastText(gap, run, saga.generation);
    return [`${what}: nothing is touched`, ...generationsFound(looks), `  needed: ${needed}`, `  ${next}`];
  };
  const texts: Record<Obstacle, readonly string[]> = {
    "new out of sight": [`${at("new")} is out of sight: nothing is touched on either side`, `  When it is back: ${up}`],
    "source out of sight": [
      `${at(source)} is out of sight, and what is there is needed: nothing is touched`,
      `  When it is back: ${up}`,
    ],
    "target out of sight": [
      `${at(target)} is out of sight: nothing is touched on either side`,
      `  When it is back: ${up}`,
    ],
    "target is started": [
      `the orchestrator of ${at(target)} was started, so nothing is undone by itself: two signers must never run at once`,
      `  To go on: fix what is said above, then ${up}`,
      ...(rollback ? [`  To go back: ${rollback}`] : []),
      "  Or by hand:",
      ...commandsBack(saga, looks, places),
    ],
    "target runs unasked": [
      `an orchestrator runs on ${at(target)}, and this move has not started it: nothing is touched`,
      `  found: ${unit[target]} is active there, or a process of the orchestrator`,
      `  needed: nothing that signs there. See it with: systemctl status ${unit[target]}`,
      `  Stop it, ${stopIt(target)}`,
      `  Then: ${up}`,
      ...(target === "old" ? broughtBack(looks, places) : []),
    ],
    "source runs unasked": [
      `the fence of ${at(source)} was taken down by another hand: nothing is touched`,
      `  found: ${unit[source]} runs there, or is not masked any more`,
      `  needed: ${stopIt(source)}`,
      `  Then: ${up}`,
      ...(source === "old" ? broughtBack(looks, places) : []),
    ],
    "source does not run": [
      `the orchestrator of ${at(source)} does not run: nothing is touched`,
      `  needed: a signer that runs. See it with: systemctl status ${unit[source]}; journalctl -u ${unit[source]} -n 50`,
      `  Then: ${up}`,
    ],
    "two may sign": [
      `an orchestrator runs on ${at(source)}, where by the journals none may: two may sign now. Nothing is touched`,
      `  found: ${unit[source]} is active there, or a process of the orchestrator`,
      "  needed: one signer. Was that host restored from a snapshot, or its fence taken down by hand?",
      `  Stop it at once, ${stopIt(source)}`,
      `  Then: ${up}`,
      ...(source === "old" ? broughtBack(looks, places) : []),
    ],
    "journals disagree": [
      "the journals of both sides contradict each other: nothing is touched",
      ...(["old", "new"] as const).map(
        (side) => `  found on the ${side} side: ${journalOf(looks[side])?.stage ?? "no journal"}`,
      ),
      `  needed: one side that signs, and a journal on each host that says so. Was ${journalFile} changed by hand, or a host restored from a snapshot?`,
      "  Start neither of them: two signers must never run at once. Which one signs now:",
      ...(["old", "new"] as const).map(
        (side) => `    on ${places[side]}: systemctl is-active ${unit[side]}; journalctl -u ${unit[side]} -n 20`,
      ),
      ...broughtBack(looks, places),
      "  What each journal should say: docs/orchestrator.md",
    ],
    "later move": [
      `a later move of this signer is known than the one that lies open here: ${moveText(saga.move)}. Nothing is touched`,
      ...generationsFound(looks),
      "  needed: hosts that know of it. Was one restored from a snapshot, or installed anew?",
      "  Start neither of them: the signer may be at work elsewhere. Which one signs now, on each host that had it:",
      ...(["old", "new"] as const).map((side) => `    on ${places[side]}: systemctl is-active ${unit[side]}`),
      `  It is elsewhere for good? ${run.remove("orchestrator.migrateFrom")} && ${up}`,
      "  It is to start here? docs/orchestrator.md tells what each journal should say.",
    ],
    "later start": [
      `the ${source} side (${places[source]}) has not heard of the last start of this signer: generation ${saga.generation ?? 0}, ${moveText(saga.move)}. Nothing is touched`,
      ...generationsFound(looks),
      "  needed: the host that the signer is on now. Was this one restored from a snapshot, or installed anew?",
      `  It is on another host? This one must not sign beside it, ${stopIt(source)}`,
      `  Then, where it is to stay there: ${run.remove("orchestrator.migrateFrom")} && ${up}`,
      `  ${broughtByHand(run, saga.generation ?? 0)}`,
    ],
    "record behind": unknown("record behind"),
    "first move": unknown("first move"),
    "odd generation": [
      `a journal names generation ${saga.generation ?? 0}, far beyond any that is known here: nothing is touched`,
      ...generationsFound(looks),
      `  needed: a journal that nobody changed. See it on the host: cat ${journalFile}`,
      `  Put the number right that it has in "generation"; then ${up}`,
    ],
    "other hosts": [
      "the move that lies open here is between other hosts: nothing is touched",
      ...(["old", "new"] as const).flatMap((side) => {
        const journal = journalOf(looks[side]);
        return journal?.source === undefined
          ? []
          : [
              `  found on the ${side} side: from the host with the key ${journal.source} to that with ${journal.target}`,
            ];
      }),
      `  needed: the hosts with these keys: ${up} with the addresses and host keys that were configured when it began`,
      `  Are they the same machines, with new keys? On both, with the fingerprint as it was and as it is: sed -i 's,FOUND,NOW,' ${journalFile}; then ${up}`,
    ],
    "another move": [
      `another move of an orchestrator is at work on these hosts, or took this signer elsewhere: ${moveText(saga.move)}`,
      ...(["old", "new"] as const).map((side) => {
        const journal = journalOf(looks[side]);
        return `  found on the ${side} side: ${journal ? `${journal.stage} since ${journal.at}, other side ${journal.other.address}` : "no journal"}`;
      }),
      ...(isAtWork
        ? [
            `  Nothing is touched. End that move with its own stack first: ${commandsFor(saga.move.stack).up}`,
            "  Is there no such stack any more? docs/orchestrator.md tells what each journal should say.",
          ]
        : [
            "  Nothing is touched: what this stack knows of the signer is older than that move.",
            `  needed: a stack that does not move it any more: ${run.remove("orchestrator.migrateFrom")} && ${up}`,
          ]),
    ],
  };
  return [...(failure === undefined ? [] : [failure]), texts[why].join("\n"), whereItIs(looks, places)].join("\n");
}
