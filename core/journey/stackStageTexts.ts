import { formatVersionGap, installLines } from "../chain/requiredVersions.ts";
import { isOurs } from "../registration/registration.ts";
import { formatRegistration, formatWalletClicks, formatWayBack } from "../registration/registrationMessages.ts";
import { type Commands, commandsFor, formatTextLine } from "../util/commands.ts";
import { type Result, takeValue } from "../util/result.ts";
import { formatMoveTiming, formatOrchestrator } from "./orchestratorTexts.ts";
import type { StackFacts } from "./stackFacts.ts";
import type { Known } from "./stackStages.ts";

/** Formats the next step (docs/specification.md, 1.1, steps 13 to 15) in lines: the engine truncates longer texts. */
export function formatStage(known: Known, next: string): string[] {
  const { stage, stack, pillar, node, registration, parts } = known;
  const run = commandsFor(stack);
  const again = `Look again with: ${run.up}`;
  const sentence = registration ? `${capitalize(formatRegistration(registration, pillar))}.` : "";
  const move = formatMoveTiming(known);
  switch (stage) {
    case "tooEarly":
      return [
        `WARNING: ${sentence}`,
        "From 5 to 10 minutes after that update, the Pillar earns nothing until the node is synced.",
        `${formatWayBack(pillar, registration?.earlier)}.`,
        `Or wait until the node is synced again. ${again}`,
        ...move,
      ];
    case "registered":
      return [
        sentence,
        "Keep the old host running: it produces until momentums carry the new address.",
        "If no momentum comes for some hours, check the node's sync and clock:",
        `  ${run.status()}`,
        "Look again, or watch it:",
        `  ${run.up}`,
        `  ${run.status("--watch --keep")}`,
        ...move,
      ];
    case "producing":
      return [sentence, ...formatRestart(parts?.hourlyRestart), ...(move.length > 0 ? move : formatRetireOld(known))];
    case "foreign":
    case "left":
      return [
        `WARNING: ${sentence}`,
        ...(stage === "left"
          ? [again]
          : ["Was that a slip in the wallet? Then update it again:", ...formatUpdate(known, next)]),
        "If you do not know that address, check at once who else can use the wallet.",
        "Only if a host with that address takes over from this host, retire this host. SUCCESSOR is the other host's stack:",
        `  ${run.retire("SUCCESSOR")}`,
      ];
    case "wallet":
    case "wentBack":
      return formatUpdate(known, next, sentence);
    case "unknownPillar":
      return formatUnknownPillar(run, sentence);
    case "unseen":
      return [sentence || `The Pillar's registration can't be read now: ${getReason(parts?.registration)}.`, again];
    case "behind": {
      const state = `${node?.known ? "not synced now" : "not reachable now"} (${node?.why ?? "it was not asked"})`;
      if (registration && isOurs(registration))
        return [sentence, `This host's node is ${state}: newer momentums were not read.`, again];
      return [
        `Do not touch the wallet: the node of ${pillar} is ${state}.`,
        "The node was synced before; an address that is registered while its node is behind earns nothing.",
        again,
      ];
    }
    default:
      return formatIdleStage(known, [sentence, `Next: ${next}`].filter(Boolean));
  }
}

/** Formats the next step where nothing is deployed yet, or where the host does not work for its Pillar. */
function formatIdleStage({ stage, stack, lifecycle, parts, run: ownRun }: Known, otherwise: string[]): string[] {
  const run = commandsFor(stack);
  switch (stage) {
    case "notStarted":
    case "toAdopt":
      return [
        "Nothing was made yet. Check first; this changes nothing:",
        `  ${run.check()}`,
        "Then:",
        `  ${run.up}`,
        "The sync takes hours or days. You may close the terminal: the same command continues.",
      ];
    case "gone":
      return [`${stack} has no resources: they were destroyed, or never made. Its event log: ${run.report()}`];
    case "retiringUnseen":
      return ownRun
        ? ["The node of this host could not be stopped: it does not answer.", ...formatRewards(run)]
        : formatUnreadable(`The host of ${stack} can't be read now`, parts?.node);
    case "off":
      return ["The node of this host is off, and stays off.", ...formatRewards(run)];
    case "unmet":
      return [
        `Before ${stack} may be destroyed:`,
        ...(takeValue(parts?.destroy) ?? []).flatMap(({ what, needed }) => [`  ${what}`, `    needed: ${needed}`]),
      ];
    default:
      return lifecycle === "adopted" ? formatAdopted(run) : otherwise;
  }
}

const formatAdopted = ({ retire }: Commands): string[] => [
  "This host stays as it is, but for the node's version in node.release.",
  "Go on with the new host. STACK is its stack:",
  `  ${commandsFor("STACK").next}`,
  "Later, once the Pillar produces there:",
  `  ${retire("STACK")}`,
  "  (if the new host has no stack here: docs/retiring.md)",
];

const formatUnknownPillar = (run: Commands, sentence: string): string[] => [
  `WARNING: ${sentence}`,
  "Change nothing in the wallet: it shows the right name under Pillars. Upper and lower case count. Similar names:",
  `  ${run.check()}`,
  "Correct the name, in the old host's stack too if there is one. Nothing has to be deployed or synced again:",
  `  ${run.setText("pillar.name", "NAME")}`,
  `  ${run.up}`,
];

/** Leaves out the wallet's clicks while the orchestrator has to move first, because operators follow them at once. */
function formatUpdate(known: Known, next: string, sentence?: string): string[] {
  const { stack, pillar, timing, registration, offeredAddress, old, settings, parts } = known;
  const move = formatMoveTiming(known);
  const after = `Update the wallet after that run. Its last lines tell you what to do in the wallet for ${pillar}.`;
  if (offeredAddress === undefined) return move.length > 0 ? [...move, after] : [next];
  const how = old?.stack ? commandsFor(stack).move(old.stack) : "docs/steps.md";
  const orchestratorFirst = ["  0. If the old host runs the bridge's orchestrator, move it here first:", `     ${how}`];
  const isUnknown = takeValue(parts?.orchestrator)?.runsOnOld === undefined;
  const isStackMissing = old !== undefined && !old.isReleased && old.stack === undefined && timing === "none";
  return [
    ...(isStackMissing && settings?.oldHost
      ? formatAdoption(stack, commandsFor("OLD").adopt(settings.oldHost, stack))
      : []),
    `The node of ${pillar} is synced. Now, in the desktop wallet:`,
    ...(timing === "none" && registration?.kind === "earlier" && isUnknown ? orchestratorFirst : []),
    ...formatWalletClicks(pillar, offeredAddress),
    "This takes effect 5 to 10 minutes later. Keep the old host running until",
    "momentums carry the new address: it produces until then.",
    ...(sentence === undefined ? [] : [sentence]),
    "A run shows the update two minutes later. If not: the chain refuses an",
    "address of another Pillar, and does not say so.",
    `Then: ${commandsFor(stack).up}`,
  ];
}

function formatRetireOld({ pillar, stack, old, settings }: StackFacts): string[] {
  if (old?.isReleased)
    return [
      `Done: ${pillar} produces here; the old host (${settings?.oldHost}) is given up. Left for you:`,
      "Keep a copy of the key of the backups elsewhere: docs/orchestrator.md, Backups",
    ];
  const commands = commandsFor(old?.stack ?? "OLD");
  const rewards = [
    `Once the rewards of ${pillar} are paid, collect them in the wallet.`,
    "Then delete the old host:",
    `  ${commands.destroy}`,
  ];
  if (old?.stack)
    return ["Shut the old host down, unless it is off already:", `  ${commands.retire(stack)}`, ...rewards];
  return [
    "If another host produced before, shut it down now. OLD is its stack:",
    `  ${commands.retire(stack)}`,
    "If it has no stack yet, adopt it first, with its ADDRESS:",
    `  ${commands.adopt("ADDRESS", stack)}`,
    ...rewards,
  ];
}

function formatRestart(found: Result<string> = { value: "off" }): string[] {
  if ("problem" in found)
    return ["The crontab could not be read: crontab -l on the host must show the line of the hourly restart with a #."];
  return found.value === "on" || found.value === "off"
    ? []
    : [`Something on the host restarts the node at times; remove it there: ${found.value}`];
}

const formatRewards = ({ status, destroy }: Commands): string[] => [
  "Collect the rewards in the wallet. To see which conditions of the destroy are not met yet:",
  `  ${status()}`,
  "Once all are met, delete the host:",
  `  ${destroy}`,
];

/** Formats what is printed below the next step: ways back of the node, the orchestrator, versions to install. */
export function formatNotes({ stack, waysBack = [], timing, orchestrator, parts, state }: Known): string[] {
  const run = commandsFor(stack);
  const gaps = takeValue(parts?.versions) ?? [];
  return [
    ...waysBack.map(formatTextLine),
    ...(state?.pending.length ? [`To end pulumi's warning of pending operations: ${run.resume()}`] : []),
    ...formatOrchestrator(run, timing, orchestrator),
    ...gaps.flatMap((gap) => [formatVersionGap(gap), ...installLines(gap, run.up).map((line) => `  ${line}`)]),
  ];
}

/** Formats the adoption of an old host without a stack. `move` and `retire` need a stack for that host. */
export const formatAdoption = (stack: string, adopt: string): string[] => [
  "First adopt the old host; nothing on it changes. OLD is a name of your choice, such as prod:",
  `  ${adopt}`,
  `Or let one command run every step: ${commandsFor(stack).migrate("OLD")}`,
];

export const formatUnreadable = (what: string, part: Result<unknown> | undefined): string[] => [
  `${what}: ${getReason(part)}.`,
  "If the old host is dead: docs/retiring.md",
];

const getReason = (part: Result<unknown> | undefined) => (part && "problem" in part ? part.problem : "not asked yet");

const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
