import { isOurs, type Registration } from "../../core/registration/registration.ts";
import { formatRegistration, formatWalletClicks, formatWayBack } from "../../core/registration/registrationMessages.ts";
import type { NodeStatus } from "../../core/sync/nodeStatus.ts";
import { commandsFor, formatTextLine, type TextLine } from "../../core/util/commands.ts";

export interface NextStepSituation {
  readonly stack: string;
  readonly pillar: string;
  readonly producerAddress: string;
  readonly now: Pick<NodeStatus, "synced" | "known" | "why">;
  readonly registration: Registration;
  /** `off`, `on`, or the name of another timer that restarts the node; undefined if the lookup failed. */
  readonly hourlyRestart: string | undefined;
  /** Lines on the orchestrator's move, if it comes before wallet and retirement. */
  readonly first?: readonly string[];
  /** True if no orchestrator's move is configured, although the old host may run an orchestrator. */
  readonly hasNoOrchestrator?: boolean;
  /** Lines on the ways back of a node that is not synced any more. */
  readonly waysBack?: readonly TextLine[];
}

/** True if this host's address may be printed: its node is synced, or the address is registered anyway. */
export function mayShowAddress({ registration, now }: Pick<NextStepSituation, "registration" | "now">): boolean {
  return now.synced || isOurs(registration);
}

/** True if the next step is to register this host's address: operators may register an address once it is printed. */
export function offersAddress({ registration, now, first = [] }: NextStepSituation): boolean {
  if (isOurs(registration) || !now.synced || first.length > 0) return false;
  return registration.kind !== "foreign" || !registration.wasOurs;
}

/** Formats the next step (docs/specification.md, 1.1, steps 13 to 15) in lines: the engine truncates longer texts. */
export function formatNextStep(situation: NextStepSituation): string[] {
  return [...formatRegistrationStep(situation), ...(situation.waysBack ?? []).map(formatTextLine)];
}

function formatRegistrationStep(situation: NextStepSituation): string[] {
  const { stack, pillar, now, registration, first = [] } = situation;
  const run = commandsFor(stack);
  const again = `Look again with: ${run.up}`;
  const sentence = `${capitalize(formatRegistration(registration, pillar))}.`;
  const unsynced = `${now.known ? "not synced now" : "not reachable now"} (${now.why})`;
  switch (registration.kind) {
    case "tooEarly":
      return [
        `WARNING: ${sentence}`,
        "From 5 to 10 minutes after that update, the Pillar earns nothing until the node is synced.",
        `${formatWayBack(pillar, registration.earlier)}.`,
        `Or wait until the node is synced again. ${again}`,
        ...first,
      ];
    case "registered":
      return [
        sentence,
        "Keep the old host running: it produces until momentums carry the new address.",
        `If no momentum comes for some hours, check that the node is synced and its clock is right: ${run.status()}`,
        `${again}; or watch it: ${run.status("--watch --keep")}`,
        ...first,
      ];
    case "producing":
      return [
        sentence,
        ...(now.synced ? [] : [`This host's node is ${unsynced}: newer momentums were not read.`]),
        ...formatRestartLines(situation.hourlyRestart),
        ...(first.length > 0 ? first : formatRetireOld(situation)),
      ];
    case "foreign":
      return [
        `WARNING: ${sentence}`,
        ...(now.synced && !registration.wasOurs
          ? ["Was that a slip in the wallet? Then update it again:", ...formatUpdate(situation)]
          : [again]),
        "If you do not know that address, check at once who else can use the wallet.",
        "Only if a host with that address takes over from this host, retire this host. SUCCESSOR is the other host's stack:",
        `  ${run.retire("SUCCESSOR")}`,
      ];
    default:
      if (now.synced) return formatUpdate(situation, sentence);
      return [
        `Do not touch the wallet: the node of ${pillar} is ${unsynced}.`,
        "The node was synced before; an address that is registered while its node is behind earns nothing.",
        again,
      ];
  }
}

/** Leaves out the wallet's clicks while the orchestrator has to move first, because operators follow them at once. */
function formatUpdate(situation: NextStepSituation, sentence?: string): string[] {
  const { stack, pillar, producerAddress, registration, hasNoOrchestrator, first = [] } = situation;
  if (!offersAddress(situation))
    return [
      ...first,
      `Update the wallet after that run. Its last lines tell you what to do in the wallet for ${pillar}.`,
    ];
  const orchestratorFirst =
    "  0. If the old host runs the bridge's orchestrator, move the orchestrator here first: README.md, steps 2 and 3.";
  return [
    `The node of ${pillar} is synced. Now, in the desktop wallet:`,
    ...(hasNoOrchestrator && registration.kind === "earlier" ? [orchestratorFirst] : []),
    ...formatWalletClicks(pillar, producerAddress),
    "The update takes effect 5 to 10 minutes later; then this host produces in the Pillar's next slot. Keep the old host",
    "running until momentums carry the new address: it produces until then.",
    ...(sentence === undefined ? [] : [sentence]),
    "A run shows the update a minute or two later; the chain silently refuses an address of another Pillar.",
    `Then: ${commandsFor(stack).up}`,
  ];
}

function formatRetireOld({ pillar, stack }: NextStepSituation): string[] {
  const old = commandsFor("OLD");
  return [
    "If another host produced before, shut it down now. OLD is that host's stack:",
    `  ${old.retire(stack)}`,
    "If that host is no stack yet, adopt it first, with its ADDRESS:",
    `  ${old.adopt("ADDRESS", stack)}`,
    `Once the rewards of ${pillar} are paid, collect them in the wallet. Then delete the old host: ${old.destroy}`,
  ];
}

function formatRestartLines(seen: string | undefined): string[] {
  if (seen === "on" || seen === "off") return [];
  return seen === undefined
    ? ["The crontab could not be read: crontab -l on the host must show the line of the hourly restart with a #."]
    : [`Something on the host restarts the node at times; remove it there: ${seen}`];
}

const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

export function formatNextStepWithoutServer(stack: string): string[] {
  return [`The server no longer exists. To remove what else this stack created: ${commandsFor(stack).destroy}`];
}
