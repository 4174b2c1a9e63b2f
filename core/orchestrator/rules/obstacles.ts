import { formatMove } from "../../eventLog/moveId.ts";
import type { SshTarget } from "../../ssh/ssh.ts";
import { type Commands, commandsFor } from "../../util/commands.ts";
import { isSameMachine } from "../../util/hostPort.ts";
import { formatProblem, type Problem } from "../../util/problem.ts";
import { boundLaterThan, type MoveHistory, type UnknownHistory, type Wanted } from "./generation.ts";
import {
  assignRoles,
  bothSides,
  formatHost,
  type HostStates,
  journalFile,
  type Saga,
  type WhichHost,
} from "./journal.ts";
import { describeKeyHolder, type HostAddresses } from "./keyHolder.ts";
import type { Obstacle } from "./moveSteps.ts";

/**
 * Returns the command that stops and masks a service, and prints `inactive` only if each part succeeded. Masks as
 * orchestrator_mask does, because `systemctl mask` refuses if the unit's file is in /etc/systemd/system, the usual place.
 */
export function stopForGood(service: string): string {
  const file = `/etc/systemd/system/${service}.service`;
  return `systemctl stop ${service} && { [ ! -f ${file} ] || mv -f ${file} ${file}.moved; } && ln -sfn /dev/null ${file} && systemctl daemon-reload && systemctl is-active ${service}`;
}

/** Formats the question, and the command, whether the operator moved the orchestrator here by hand. */
export function formatManualMoveHint({ set, up }: Commands, generation: number, why = "You brought it here yourself") {
  const word = set("orchestrator.laterThanMove", generation);
  return `${why}, and the orchestrator can start nowhere else (docs/orchestrator.md)? ${word} && ${up}`;
}

/** Describes the problem if nothing shows where the orchestrator is. `generation`: highest on a host. */
export function describeUnknownHistory(why: UnknownHistory, run: Commands, generation = 0) {
  const bring =
    "bring the event log of the machine that ran the last move (docs/unattended.md): the orchestrator may be at work elsewhere";
  if (why === "log behind")
    return {
      what: "the event log has fewer moves of this orchestrator than its hosts have recorded",
      needed: bring,
      next: formatManualMoveHint(run, generation, "That event log is lost"),
    };
  if (why === "strange number")
    return {
      what: "a host's journal has the number of a move that no run of this program made",
      needed: "find out who wrote that journal, and which host signs, before anything else",
      next: `On each host: systemctl is-active orchestrator; cat ${journalFile}`,
    };
  const word = run.set("orchestrator.firstMove", "acknowledged");
  return {
    what: "no move of this orchestrator is known, neither by the event log nor by a journal",
    needed: `confirm once that no move of this orchestrator ever began. If one began, ${bring}`,
    next: `Was this orchestrator never moved? ${word} && ${run.up}`,
  };
}

/** Describes the problem that a host answers although a backup is configured to take its place. */
export function describeAnsweringHost(address: string, run: Commands): Problem {
  return {
    what: `${address}: this host answers, although a backup is to take its place`,
    needed: "move the orchestrator from this host: the files there are newer than any backup",
    next: `${run.remove("orchestrator.restoreFrom")} && ${run.up}`,
  };
}

/** Returns the problem of a backup that does not show that the lost host had the orchestrator, if no start is known. */
export function findForeignBackup(
  { host, hostKey }: { readonly host: string; readonly hostKey?: string | undefined },
  lost: Pick<SshTarget, "address" | "hostKey">,
  { known, laterThan }: Pick<Wanted, "known" | "laterThan">,
): Problem | undefined {
  if (known?.started !== 0 || boundLaterThan(laterThan, known) > 0 || isSameMachine({ address: host, hostKey }, lost))
    return undefined;
  return {
    what: `the backup is of ${host}, and no start of this orchestrator elsewhere is known: ${host} may still sign`,
    found: `the lost host is ${lost.address}`,
    needed: `name the stack of ${host} with --from if that host is lost, or give a backup of ${lost.address}`,
    next: formatRestoreHint(lost.address, known),
  };
}

/** Formats how to confirm that a lost host had the orchestrator, although the event log does not say so. */
export function formatRestoreHint(lost: string, { generation }: MoveHistory): string {
  const number = Math.max(1, generation);
  return `Was the orchestrator on ${lost}, and can it start nowhere else (docs/restore.md)? Restore again with --later-than-move ${number}`;
}

interface Scene extends ReturnType<typeof assignRoles> {
  readonly saga: Saga;
  readonly states: HostStates;
  readonly addresses: HostAddresses;
  readonly run: Commands;
  /** The command to roll back; false in a rollback. */
  readonly rollback: string | false;
}

/** Formats why nothing is done, the next command, and where the key is. */
export function formatObstacle(why: Obstacle, saga: Saga, states: HostStates, addresses: HostAddresses): string {
  const run = commandsFor(addresses.stack);
  const rollback = saga.direction === "forward" && `${run.set("orchestrator.rollback", true)} && ${run.up}`;
  const problem = obstacles[why]({ saga, states, addresses, ...assignRoles(saga), run, rollback });
  return [formatProblem(problem), describeKeyHolder(states, addresses)].join("\n");
}

const nameOf = ({ addresses }: Scene, side: WhichHost) => formatHost(side, addresses[side]);

const stopCommand = ({ addresses }: Scene, side: WhichHost) =>
  `on ${addresses[side]}: ${stopForGood(addresses.services[side])} (it must say inactive)`;

function describeJournals({ states }: Scene): string[] {
  return bothSides.map((side) => {
    const journal = states[side]?.journal;
    if (!journal) return `no journal on the ${side} host`;
    const { stage, move, generation, at, source, target } = journal;
    return `${stage} in ${formatMove(move)} on the ${side} host, generation ${generation}, since ${at}, from the key ${source} to ${target}`;
  });
}

const needsHost = (scene: Scene, side: WhichHost): Problem => ({
  what: `${nameOf(scene, side)} is unreachable, and the move needs it: nothing is touched`,
  next: [
    `When it is back: ${scene.run.up}`,
    scene.source === "old" &&
      side === "old" &&
      `If it is lost and you have a backup: ${scene.run.restore} (docs/restore.md)`,
  ],
});

const runsUnasked = (scene: Scene, side: WhichHost): Problem => ({
  what: `an orchestrator runs on ${nameOf(scene, side)}, or can start there, where by the journals none may: nothing is touched`,
  found: `${scene.addresses.services[side]} is active there, or not masked, or an orchestrator process runs`,
  needed: "one orchestrator. Was that host restored from a snapshot, or its fence removed by hand?",
  next: [
    `Stop it at once, ${stopCommand(scene, side)}`,
    `Then: ${scene.run.up}`,
    side === "old" && "Did you bring the orchestrator back there by hand? docs/orchestrator.md, Rollback",
  ],
});

const contradicts = (scene: Scene, what: string, hint?: string): Problem => ({
  what: `${what}: nothing is touched`,
  found: describeJournals(scene),
  needed:
    "one host that signs, and a journal on each host that says so. Was a host restored, installed anew or replaced?",
  next: [
    "Start neither of them: the orchestrator may be at work elsewhere. Which one signs now, on each host that had it:",
    ...bothSides.map((side) => {
      const unit = scene.addresses.services[side];
      return `  on ${scene.addresses[side]}: systemctl is-active ${unit}; journalctl -u ${unit} -n 20`;
    }),
    hint,
    `Is the orchestrator on another host permanently? Run: ${scene.run.remove("orchestrator.move")} && ${scene.run.up}`,
    "Is it to start here? docs/orchestrator.md, Journals, tells what each journal should say.",
  ],
});

const unknownHistory = (scene: Scene, why: UnknownHistory): Problem => {
  const problem = describeUnknownHistory(why, scene.run, scene.saga.generation);
  return { ...problem, what: `${problem.what}: nothing is touched`, found: describeJournals(scene) };
};

const obstacles: Readonly<Record<Obstacle, (scene: Scene) => Problem>> = {
  "source unreachable": (scene) => needsHost(scene, scene.source),
  "target unreachable": (scene) => needsHost(scene, scene.target),
  "target is started": (scene) => ({
    what: `the orchestrator of ${nameOf(scene, scene.target)} was started, so the program undoes nothing: two orchestrators must never run at once`,
    next: [`To go on: fix what is said above, then ${scene.run.up}`, scene.rollback && `To go back: ${scene.rollback}`],
  }),
  "target runs unasked": (scene) => runsUnasked(scene, scene.target),
  "source runs unasked": (scene) => runsUnasked(scene, scene.source),
  "two may sign": (scene) => runsUnasked(scene, scene.source),
  "lost source answers": (scene) => describeAnsweringHost(scene.addresses[scene.source], scene.run),
  "lost source is back": (scene) => ({
    what: `${nameOf(scene, scene.source)} is back, and an orchestrator was started from a backup in its place: nothing is touched`,
    needed: stopCommand(scene, scene.source),
    next: [
      `Then: ${scene.run.up}`,
      `Or keep that host's orchestrator: ${stopCommand(scene, scene.target)}; there, mv ${journalFile} ${journalFile}.aside; then ${scene.run.up}`,
    ],
  }),
  "source does not run": (scene) => {
    const unit = scene.addresses.services[scene.source];
    return {
      what: `the orchestrator of ${nameOf(scene, scene.source)} does not run: nothing is touched`,
      needed: `start the orchestrator there. Check with: systemctl status ${unit}; journalctl -u ${unit} -n 50`,
      next: `Then: ${scene.run.up}`,
    };
  },
  "journals disagree": (scene) => contradicts(scene, "the journals of both hosts contradict each other"),
  "other hosts": (scene) =>
    contradicts(
      scene,
      "the unfinished move on these hosts is between hosts with other ssh keys",
      `Are they the same machines, with new keys? On both, with the former fingerprint and the present one: sed -i 's,FORMER,PRESENT,' ${journalFile}; then ${scene.run.up}`,
    ),
  "later move": (scene) =>
    contradicts(scene, `this orchestrator has a later move, ${formatMove(scene.saga.move)}, than these hosts know of`),
  "later start": (scene) => {
    const { generation = 0, move } = scene.saga;
    const what = `${nameOf(scene, scene.source)} does not know of this orchestrator's last start: generation ${generation}, ${formatMove(move)}`;
    return contradicts(scene, what, formatManualMoveHint(scene.run, generation));
  },
  "log behind": (scene) => unknownHistory(scene, "log behind"),
  "first move": (scene) => unknownHistory(scene, "first move"),
  "strange number": (scene) => unknownHistory(scene, "strange number"),
  "other attempt": ({ saga, run }) => ({
    what: `this orchestrator's last start was in ${formatMove(saga.move)}, whose end is not logged: nothing is touched`,
    needed: "restore in that attempt",
    next: `${run.set("orchestrator.attempt", saga.move.attempt ?? 1)} && ${run.up}`,
  }),
  "another move": (scene) => ({
    what: `another move of an orchestrator is at work on these hosts, or took this orchestrator elsewhere: ${formatMove(scene.saga.move)}. Nothing is touched`,
    found: describeJournals(scene),
    next: [
      `Is that move unfinished? Finish it with its own stack first: ${commandsFor(scene.saga.move.stack).up}`,
      `Has it ended? Keep this stack from moving the orchestrator: ${scene.run.remove("orchestrator.move")} && ${scene.run.up}`,
      "Is there no such stack any more? docs/orchestrator.md tells what each journal should say.",
    ],
  }),
};
