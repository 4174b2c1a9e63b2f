import { formatMove, isSameMove } from "../../eventLog/moveId";
import { type Commands, commandsFor } from "../../util/commands";
import { formatProblem, type Problem } from "../../util/problem";
import type { Obstacle } from "./decideMove";
import type { HostStates } from "./hostStates";
import { assignRoles, formatHost, type Journal, journalFile, type Saga, type WhichHost } from "./journal";
import { describeKeyLocation, type HostAddresses } from "./keyLocation";
import { describeUnknownHistory, formatManualMoveHint } from "./moveMessages";
import { formatHandRollbackHint, formatRollbackCommands, stopForGood } from "./rollbackByHand";

interface Scene {
  readonly saga: Saga;
  readonly states: HostStates;
  readonly places: HostAddresses;
  readonly source: WhichHost;
  readonly target: WhichHost;
  readonly unit: HostAddresses["services"];
  readonly run: Commands;
  readonly up: string;
  readonly journals: Readonly<Record<WhichHost, Journal | undefined>>;
  /** The command to roll back; undefined in a rollback. */
  readonly rollback: string | undefined;
  at(side: WhichHost): string;
  /** Returns the command that stops a host's orchestrator for good. */
  stopIt(side: WhichHost): string;
}

const bothSides = ["old", "new"] as const;

/** Formats why nothing is done, the next command, and where the key is. */
export function formatObstacle(why: Obstacle, saga: Saga, states: HostStates, places: HostAddresses): string {
  const problem = obstacles[why](sceneOf(saga, states, places));
  return [formatProblem(problem), describeKeyLocation(states, places)].join("\n");
}

function sceneOf(saga: Saga, states: HostStates, places: HostAddresses): Scene {
  const run = commandsFor(places.stack);
  const unit = places.services;
  return {
    saga,
    states,
    places,
    ...assignRoles(saga),
    unit,
    run,
    up: run.up,
    rollback: saga.direction === "forward" ? `${run.set("orchestrator.rollback", true)} && ${run.up}` : undefined,
    journals: { old: states.old?.journal, new: states.new?.journal },
    at: (side) => formatHost(side, places[side]),
    stopIt: (side) => `on ${places[side]}: ${stopForGood(unit[side])} (it must say inactive)`,
  };
}

function generationsFound(states: HostStates): string[] {
  return bothSides.map((side) => {
    const { move, stage, generation = 0 } = states[side]?.journal ?? {};
    return `${move ? `${stage} in ${formatMove(move)}, generation ${generation},` : "no journal"} on the ${side} host`;
  });
}

/** Returns false if the journals say that this move has ended. */
function isAtWork(states: HostStates, { move }: Saga): boolean {
  const journals = [states.new?.journal, states.old?.journal];
  const theirs = journals.find((journal) => journal && isSameMove(journal.move, move));
  return theirs?.stage !== "moved" && theirs?.stage !== "running" && theirs?.stage !== "restored";
}

function unknownPast(gap: Parameters<typeof describeUnknownHistory>[0], { run, saga, states }: Scene): Problem {
  const [what, needed, next] = describeUnknownHistory(gap, run, saga.generation);
  return { what: `${what}: nothing is touched`, found: generationsFound(states), needed, next };
}

const obstacles: Readonly<Record<Obstacle, (scene: Scene) => Problem>> = {
  "new unreachable": ({ up, at }) => ({
    what: `${at("new")} is unreachable: nothing is touched on either host`,
    next: `When it is back: ${up}`,
  }),
  "source unreachable": ({ source, up, run, at }) => ({
    what: `${at(source)} is unreachable, and the move needs the files there: nothing is touched`,
    next: [
      `When it is back: ${up}`,
      source === "old" && `If it is lost and you have a backup: ${run.restore} (docs/restore.md)`,
    ],
  }),
  "target unreachable": ({ target, up, at }) => ({
    what: `${at(target)} is unreachable: nothing is touched on either host`,
    next: `When it is back: ${up}`,
  }),
  "target is started": ({ saga, states, places, target, up, rollback, at }) => ({
    what: `the orchestrator of ${at(target)} was started, so the program undoes nothing: two orchestrators must never run at once`,
    next: [
      `To go on: fix what is said above, then ${up}`,
      rollback && `To go back: ${rollback}`,
      "Or by hand:",
      ...formatRollbackCommands(saga, states, places),
    ],
  }),
  "target runs unasked": ({ states, places, target, unit, up, at, stopIt }) => ({
    what: `an orchestrator runs on ${at(target)} that this move has not started: nothing is touched`,
    found: `${unit[target]} is active there, or an orchestrator process runs`,
    needed: `no orchestrator there. Check with: systemctl status ${unit[target]}`,
    next: [
      `Stop it, ${stopIt(target)}`,
      `Then: ${up}`,
      ...(target === "old" ? formatHandRollbackHint(states, places) : []),
    ],
  }),
  "source runs unasked": ({ states, places, source, unit, up, rollback, at, stopIt, journals }) => ({
    what: journals[source]
      ? `the fence of ${at(source)} was removed, not by this program: nothing is touched`
      : `${at(source)} is back, and knows nothing of this move: nothing is touched`,
    found: `${unit[source]} runs there, or is not masked any more`,
    needed: stopIt(source),
    next: [
      `Then: ${up}`,
      !journals[source] &&
        rollback &&
        `Or keep the orchestrator of that host, which is newer than any backup: ${rollback}`,
      ...(source === "old" && journals[source] ? formatHandRollbackHint(states, places) : []),
    ],
  }),
  "source does not run": ({ source, unit, up, at }) => ({
    what: `the orchestrator of ${at(source)} does not run: nothing is touched`,
    needed: `start the orchestrator there. Check with: systemctl status ${unit[source]}; journalctl -u ${unit[source]} -n 50`,
    next: `Then: ${up}`,
  }),
  "two may sign": ({ states, places, source, unit, up, at, stopIt }) => ({
    what: `an orchestrator runs on ${at(source)}, where by the journals none may: two may sign now. Nothing is touched`,
    found: `${unit[source]} is active there, or an orchestrator process runs`,
    needed: "one orchestrator. Was that host restored from a snapshot, or its fence removed by hand?",
    next: [
      `Stop it at once, ${stopIt(source)}`,
      `Then: ${up}`,
      ...(source === "old" ? formatHandRollbackHint(states, places) : []),
    ],
  }),
  "journals disagree": ({ states, places, unit, journals }) => ({
    what: "the journals of both hosts contradict each other: nothing is touched",
    found: bothSides.map((side) => `${journals[side]?.stage ?? "no journal"} on the ${side} host`),
    needed: `one host that signs, and a journal on each host that says so. Was ${journalFile} changed by hand, or a host restored from a snapshot?`,
    next: [
      "Start neither of them: two orchestrators must never run at once. Which one signs now:",
      ...bothSides.map(
        (side) => `  on ${places[side]}: systemctl is-active ${unit[side]}; journalctl -u ${unit[side]} -n 20`,
      ),
      ...formatHandRollbackHint(states, places),
      "What each journal should say: docs/orchestrator.md",
    ],
  }),
  "later move": ({ saga, states, places, unit, run, up }) => ({
    what: `this orchestrator has a later move, ${formatMove(saga.move)}, than these hosts know of. Nothing is touched`,
    found: generationsFound(states),
    needed: "hosts that know of that move. Was one restored from a snapshot, or installed anew?",
    next: [
      "Start neither of them: the orchestrator may be at work elsewhere. Which one signs now, on each host that had it:",
      ...bothSides.map((side) => `  on ${places[side]}: systemctl is-active ${unit[side]}`),
      `Is the orchestrator on another host permanently? Run: ${run.remove("orchestrator.migrateFrom")} && ${up}`,
      "Is the orchestrator to start here? docs/orchestrator.md tells what each journal should say.",
    ],
  }),
  "later start": ({ saga, states, source, run, up, at, stopIt }) => ({
    what: `${at(source)} does not know of this orchestrator's last start: generation ${saga.generation ?? 0}, ${formatMove(saga.move)}. Nothing was changed`,
    found: generationsFound(states),
    needed: "the host that the orchestrator is on now. Was this one restored from a snapshot, or installed anew?",
    next: [
      `Is the orchestrator on another host? This host must not sign too, ${stopIt(source)}`,
      `Then, if the orchestrator is to stay there: ${run.remove("orchestrator.migrateFrom")} && ${up}`,
      formatManualMoveHint(run, saga.generation ?? 0),
    ],
  }),
  "record behind": (scene) => unknownPast("record behind", scene),
  "first move": (scene) => unknownPast("first move", scene),
  "odd generation": ({ saga, states, up }) => ({
    what: `a journal names move generation ${saga.generation ?? 0}, far beyond the event log's: nothing is touched`,
    found: generationsFound(states),
    needed: `a journal that nobody changed. Print it on the host: cat ${journalFile}`,
    next: `Correct its number "generation"; then ${up}`,
  }),
  "other hosts": ({ up, journals }) => ({
    what: "the unfinished move on these hosts is between hosts with other ssh keys: nothing is touched",
    found: bothSides.flatMap((side) => {
      const journal = journals[side];
      return journal?.source === undefined
        ? []
        : [`on the ${side} host: from the host with the key ${journal.source} to that with ${journal.target}`];
    }),
    needed: `the hosts with these keys: run ${up} with the addresses and host keys configured when the move began`,
    next: `Are they the same machines, with new keys? On both, with the former fingerprint and the present one: sed -i 's,FORMER,PRESENT,' ${journalFile}; then ${up}`,
  }),
  "another move": ({ saga, states, run, up, journals }) => ({
    what: `another move of an orchestrator is at work on these hosts, or took this orchestrator elsewhere: ${formatMove(saga.move)}`,
    found: bothSides.map((side) => {
      const journal = journals[side];
      const stage = journal && `${journal.stage} since ${journal.at}, other host ${journal.other.address},`;
      return `${stage ?? "no journal"} on the ${side} host`;
    }),
    needed:
      !isAtWork(states, saga) &&
      `keep this stack from moving the orchestrator: ${run.remove("orchestrator.migrateFrom")} && ${up}`,
    next: isAtWork(states, saga)
      ? [
          `Nothing is touched. Finish that move with its own stack first: ${commandsFor(saga.move.stack).up}`,
          "Is there no such stack any more? docs/orchestrator.md tells what each journal should say.",
        ]
      : "Nothing is touched: what this stack knows of the orchestrator is older than that move.",
  }),
};
