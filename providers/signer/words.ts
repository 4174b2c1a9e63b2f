import type { Look, Looks, Obstacle } from "./decide";
import { journalFile, type Saga, type SideName, sidesOf } from "./journal";

/** What errors name: both sides' addresses, the unit, and the stack. */
export interface Places {
  readonly old: string;
  readonly new: string;
  readonly service: string;
  readonly stack: string;
}

function journalOf(look: Look) {
  return look === "outOfSight" ? undefined : look.journal;
}

/** Which side holds the key, and which may sign, in one line (pure). */
export function whereItIs(looks: Looks, places: Places): string {
  const name = (side: SideName) => `the ${side} side (${places[side]})`;
  const other = (side: SideName): SideName => (side === "old" ? "new" : "old");
  for (const side of ["new", "old"] as const) {
    const stage = journalOf(looks[side])?.stage;
    if (stage === "running" || stage === "starting")
      return `The key is on ${name(side)}, which ${stage === "running" ? "signs" : "was started and may sign"}; ${name(other(side))} is fenced.`;
  }
  for (const side of ["new", "old"] as const) {
    const look = looks[side];
    const stage = journalOf(look)?.stage;
    const active = look !== "outOfSight" && look.active;
    if (stage === "restoring" || stage === "restored")
      return `The key is on ${name(side)}, ${active ? "which signs" : "which does not run now"}; nothing signs on ${name(other(side))}.`;
    if (stage === "fenced" || stage === "moved")
      return `The key is on ${name(side)}, stopped and fenced, and nobody signs now.`;
    if (stage === "stopping")
      return `The key is on ${name(side)}, ${active ? "which still signs" : "stopped, and nobody signs now"}.`;
  }
  const { old } = looks;
  if (old === "outOfSight" && looks.new === "outOfSight")
    return `Where the key is cannot be told: ${name("old")} and ${name("new")} are both out of sight. Each host's ${journalFile} tells.`;
  if (
    looks.new !== "outOfSight" &&
    (journalOf(looks.new)?.stage === "staged" || journalOf(looks.new)?.stage === "switched")
  )
    return `The key is on ${name("new")}, proved but not started; ${name("old")} is fenced, and nobody signs now.`;
  if (old === "outOfSight")
    return `The key is on ${name("old")} as far as is known, and that is out of sight; nothing was started on ${name("new")}.`;
  return `The key is on ${name("old")}, ${old.active ? "which signs" : "where the orchestrator does not run"}; nothing was started on ${name("new")}.`;
}

/** What was done about a step that failed before its target was started (pure). */
export function stepFailed(failure: string, looks: Looks, places: Places): string {
  return [failure, whereItIs(looks, places), `  Mend what is said above, then: pulumi up -s ${places.stack}`].join(
    "\n",
  );
}

/** The commands, by hand, that bring the signer back to a host (pure). */
export function commandsBack(saga: Saga, looks: Looks, places: Places): string[] {
  const { source, target } = sidesOf(saga);
  const was = journalOf(looks[source])?.was ?? {};
  const { service } = places;
  const unit = was.unitFile ? `mv ${was.unitFile}.moved ${was.unitFile} && ` : "";
  const keyStore = was.keyStore ? `mv ${was.keyStore} ${was.keyStore.replace(/[^/]*$/, "producer")} && ` : "";
  return [
    `  first on ${places[target]}: systemctl stop ${service}; systemctl mask ${service}; systemctl is-active ${service} (it must say inactive)`,
    `  only then on ${places[source]}: systemctl unmask ${service} && ${unit}${keyStore}systemctl enable --now ${service}`,
    ...(source === "old" ? [`  and for the program, ${journalsAside(places)}`] : []),
  ];
}

/** Journals that know nothing of what an operator did by hand are in the way of every later run. */
function journalsAside({ stack }: Places): string {
  return `on both: mv ${journalFile} ${journalFile}.aside; then pulumi config set --path pillar-host:orchestrator.rollback true && pulumi up -s ${stack}`;
}

/** What to type where the old side was brought back by hand, as the commands above tell, and the new one can't sign. */
function broughtBack({ old, new: fresh }: Looks, places: Places): string[] {
  if (old === "outOfSight" || !old.active || fresh === "outOfSight" || fresh.active || !fresh.masked) return [];
  return [`  Did you bring it back by hand, and is it to stay there? Then ${journalsAside(places)}`];
}

/** Why nothing is done, where the key is, and what comes next (pure). */
export function obstacleText(why: Obstacle, saga: Saga, looks: Looks, places: Places, failure?: string): string {
  const { source, target } = sidesOf(saga);
  const at = (side: SideName) => `the ${side} side (${places[side]})`;
  const up = `pulumi up -s ${places.stack}`;
  const rollback =
    saga.direction === "forward"
      ? `pulumi config set --path pillar-host:orchestrator.rollback true && ${up}`
      : undefined;
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
      `  To go on: mend what is said above, then ${up}`,
      ...(rollback ? [`  To go back: ${rollback}`] : []),
      "  Or by hand:",
      ...commandsBack(saga, looks, places),
    ],
    "target runs unasked": [
      `an orchestrator runs on ${at(target)}, and this move has not started it: nothing is touched`,
      `  found: ${places.service} is active there, or a process of the orchestrator`,
      `  needed: nothing that signs there. See it with: systemctl status ${places.service}`,
      `  Stop it there (systemctl disable --now ${places.service}), then: ${up}`,
      ...(target === "old" ? broughtBack(looks, places) : []),
    ],
    "source runs unasked": [
      `the fence of ${at(source)} was taken down by another hand: nothing is touched`,
      `  found: ${places.service} runs there, or is not masked any more`,
      `  needed: on ${places[source]}: systemctl stop ${places.service}; systemctl mask ${places.service}`,
      `  Then: ${up}`,
      ...(source === "old" ? broughtBack(looks, places) : []),
    ],
    "source does not run": [
      `the orchestrator of ${at(source)} does not run: nothing is touched`,
      `  needed: a signer that runs. See it with: systemctl status ${places.service}; journalctl -u ${places.service} -n 50`,
      `  Then: ${up}`,
    ],
    "journals disagree": [
      "the journals of both sides contradict each other: nothing is touched",
      ...(["old", "new"] as const).map(
        (side) => `  found on the ${side} side: ${journalOf(looks[side])?.stage ?? "no journal"}`,
      ),
      `  needed: whoever changed ${journalFile} by hand knows what is right. Never start both sides.`,
    ],
    "another move": [
      `another move of an orchestrator is at work on these hosts, or took this signer elsewhere: ${saga.move}`,
      ...(["old", "new"] as const).map((side) => {
        const journal = journalOf(looks[side]);
        return `  found on the ${side} side: ${journal ? `${journal.stage} since ${journal.at}, other side ${journal.other.address}` : "no journal"}`;
      }),
      "  Nothing is touched. End that move with its own stack first.",
    ],
  };
  return [...(failure === undefined ? [] : [failure]), texts[why].join("\n"), whereItIs(looks, places)].join("\n");
}
