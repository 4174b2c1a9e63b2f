import { isOurs, type Registration } from "../../core/registration/registration";
import { formatRegistration, formatWalletClicks, formatWayBack } from "../../core/registration/registrationMessages";
import type { NodeStatus } from "../../core/sync/nodeStatus";
import { commandsFor } from "../../core/util/commands";

export interface NextStepSituation {
  readonly stack: string;
  readonly pillar: string;
  readonly producerAddress: string;
  readonly now: Pick<NodeStatus, "synced" | "known" | "why">;
  readonly registration: Registration;
  /** The lookup's output; undefined if it failed. */
  readonly hourlyRestart: string | undefined;
  /** Unix milliseconds. */
  readonly clock: number;
  /** Steps before wallet and retirement, if the orchestrator's move comes next. */
  readonly first?: readonly string[];
  /** True if no orchestrator is configured: the old host may still run one. */
  readonly hasNoOrchestrator?: boolean;
}

/** True if this host's address may be printed: its node is synced, or the address is registered anyway. */
export function mayShowAddress({ registration, now }: Pick<NextStepSituation, "registration" | "now">): boolean {
  return now.synced || isOurs(registration);
}

/** True if registering this host's address is the next step: an operator may register a printed address at once. */
export function offersAddress({ registration, now, first = [] }: NextStepSituation): boolean {
  if (isOurs(registration) || !now.synced || first.length > 0) return false;
  return registration.kind !== "foreign" || !registration.wasOurs;
}

/** Formats the next step (docs/specification.md, 1.1, steps 13 to 15) in lines: the engine truncates longer texts. */
export function formatNextStep(situation: NextStepSituation): string[] {
  const { stack, pillar, now, registration, clock, first = [] } = situation;
  const run = commandsFor(stack);
  const again = `Look again with: ${run.up}`;
  const sentence = `${capitalize(formatRegistration(registration, pillar, clock))}.`;
  switch (registration.kind) {
    case "tooEarly":
      return [
        `WARNING: ${sentence}`,
        "As long as that is so, the Pillar earns nothing, starting 5 to 10 minutes after the update.",
        `${formatWayBack(pillar, registration.earlier)}.`,
        `Or wait until the node is synced again. ${again}`,
        ...first,
      ];
    case "registered":
      return [
        sentence,
        "Keep the old host running: it produces until momentums carry the new address.",
        ...(registration.isLate ? [`Check that the node is synced and its clock is right: ${run.status()}`] : []),
        `${again}; or watch it: ${run.status("--watch --keep")}`,
        ...first,
      ];
    case "producing":
      return [
        sentence,
        ...(now.synced
          ? []
          : [`Its node is ${describeUnsynced(now)}: momentums since then were not read.`, producesFromNextTick]),
        ...formatRestartLines(situation.hourlyRestart),
        ...(first.length > 0 ? first : formatRetireOld(situation)),
      ];
    case "foreign":
      return [
        `WARNING: ${sentence}`,
        ...(now.synced && !registration.wasOurs
          ? ["Was that a slip in the wallet? Then update it again:", ...formatUpdateInTurn(situation)]
          : [again]),
        "If you do not know that address, check at once who else can use the wallet.",
        "Only if it is the address of a host that takes over from this one, retire this one. SUCCESSOR is that host's stack:",
        `  ${run.retire("SUCCESSOR")}`,
      ];
    default:
      return now.synced ? formatUpdateInTurn(situation) : formatWait(situation);
  }
}

/** Formats one step at a time: operators follow the wallet steps at once, and the orchestrator has to move first. */
function formatUpdateInTurn(situation: NextStepSituation): string[] {
  const { first = [], pillar } = situation;
  if (offersAddress(situation)) return formatUpdate(situation);
  return [
    ...first,
    `Update the wallet after that run. Its last lines tell you what to do in the wallet for ${pillar}.`,
  ];
}

function formatWait({ stack, pillar, now }: NextStepSituation): string[] {
  return [
    `Do not touch the wallet: the node of ${pillar} is ${describeUnsynced(now)}.`,
    "It was synced before; an address that is registered while its node is behind earns nothing.",
    `Look again with: ${commandsFor(stack).up}`,
  ];
}

function formatUpdate(situation: NextStepSituation): string[] {
  const { stack, pillar, producerAddress, registration, clock, hasNoOrchestrator } = situation;
  return [
    `The node of ${pillar} is synced. Now, in the desktop wallet:`,
    ...(hasNoOrchestrator && registration.kind === "earlier" ? [orchestratorFirst] : []),
    ...formatWalletClicks(pillar, producerAddress),
    "It takes effect 5 to 10 minutes later, and with the Pillar's next slot this host produces. Keep the old host running",
    "until momentums carry the new address: it produces meanwhile.",
    ...(registration.kind === "foreign" ? [] : [`${capitalize(formatRegistration(registration, pillar, clock))}.`]),
    "An update shows here within a minute or two; the chain silently refuses another Pillar's address.",
    `Then: ${commandsFor(stack).up}`,
  ];
}

function formatRetireOld({ pillar, stack }: NextStepSituation): string[] {
  const old = commandsFor("OLD");
  return [
    "If another host produced before, shut it down now. OLD is that host's stack:",
    `  ${old.retire(stack)}`,
    "A host that is no stack yet is adopted first, at its ADDRESS:",
    `  ${old.adopt("ADDRESS", stack)}`,
    `Then collect the rewards of ${pillar} in the wallet, once they are paid, and: ${old.destroy}`,
  ];
}

const orchestratorFirst =
  "  0. If the old host runs the bridge's orchestrator, move the orchestrator here first: README.md, steps 2 and 3.";

function formatRestartLines(seen: string | undefined): string[] {
  if (seen === "on" || seen === "off") return [];
  return seen === undefined
    ? [
        "The crontab could not be read: check on the host with crontab -l that a # stands before the hourly restart's line.",
      ]
    : [`Something else restarts the node at times; remove it on the host: ${seen}`];
}

/** A node computes a tick's schedule once, from the chain that it has then. */
const producesFromNextTick =
  "A node that was behind for more than five minutes produces from the next tick on, up to five minutes after it is synced.";

const describeUnsynced = ({ known, why }: NextStepSituation["now"]) =>
  `${known ? "not synced now" : "not reachable now"} (${why})`;

const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Formats the next step of a retired stack whose server is already gone. */
export function formatNextStepWithoutServer(stack: string): string[] {
  return [`The server no longer exists. To remove what else this stack created: ${commandsFor(stack).destroy}`];
}
