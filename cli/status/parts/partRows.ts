import { noteText, sentenceOf, stillOurs, unknownText } from "../../../core/registration/messages";
import { isOurs, type Registration } from "../../../core/registration/registration";
import { formatUnmet } from "../../../core/retirement/refusalText";
import { type PortFound, portFaults, portsLine } from "../../../core/ssh/portRules";
import type { Result } from "../../../core/util/result";
import { minuteText } from "../../../core/util/timeText";
import type { Row } from "../../terminal/row";
import { findProblems } from "./hostProblems";
import type { StatusParts } from "./statusParts";

export interface StackLabel {
  readonly stack: string;
  readonly pillar: string;
  readonly lifecycle: string;
}

/** What there is to say of a host's parts: never an empty line, but why something is not known. */
export function formatParts(parts: StatusParts | undefined, whose: StackLabel, now: number): Row[] {
  if (parts === undefined) return [["on chain", "looking for the first time …"]];
  return [
    ...labelRows("address", parts.registration, (registration) => formatAddress(registration, whose, now)),
    ...labelRows("producing", parts.registration, (registration) => [describeProducing(registration, whose, now)]),
    ...labelRows("signer", parts.orchestrator, ({ text }) => [text]),
    ...(parts.ports ? formatPorts(parts.ports) : []),
    ...labelRows("version", parts.sporks, ({ version }) => [version ?? "not told by the node"]),
    ...labelRows("rewards", parts.rewards, ({ text }) => [text]),
    ...formatDestroy(parts.destroy, whose),
    ...(parts.newerRelease ? [["controller", `a newer release of it is ${parts.newerRelease}`] as const] : []),
    ...findProblems(parts, whose.stack).map(({ label, text }): Row => [label, text]),
  ];
}

function labelRows<T>(label: string, part: Result<T>, linesOf: (value: T) => readonly string[]): Row[] {
  const lines = "problem" in part ? [`not known: ${part.problem}`] : linesOf(part.value);
  return lines.map((line, i) => [i === 0 ? label : "", line]);
}

function formatPorts(ports: Result<readonly PortFound[]>): Row[] {
  const faults = "value" in ports ? portFaults(ports.value) : [];
  return [
    ...labelRows("ports", ports, (found) => [portsLine(found)]),
    ...faults.map(({ kind, text }): Row => (kind === "command" ? ["", text, kind] : ["", text])),
  ];
}

function formatAddress(registration: Registration, { pillar, lifecycle }: StackLabel, now: number): string[] {
  const notes = registration.notes.map((note) => `  ${noteText(note)}`);
  if (isOurs(registration)) {
    // Of the first look, there is nothing to tell.
    const since = now - registration.since < 60_000 ? "" : ` (seen so since ${minuteText(registration.since)})`;
    return [`registered: ${pillar} has this host's address, ${registration.address}${since}`, ...notes];
  }
  // Its reason repeats the notes.
  if (registration.kind === "unknown") return [`not known: ${unknownText(registration.why)}`];
  // "Still" is for a host that is to come.
  if (lifecycle !== "active" && "address" in registration)
    return [`not registered: ${pillar} has another host's address, ${registration.address}`, ...notes];
  return [`not registered: ${sentenceOf(registration, pillar, now)}`, ...notes];
}

/** Of a host whose address is not the registered one: elections follow the wallet two ticks later. */
function describeUnregistered(
  { last, wasOurs }: Extract<Registration, { wasOurs: boolean }>,
  lifecycle: string,
): string {
  if (last?.isOurs)
    return `yes, still (momentum ${last.height}, ${minuteText(last.at)}), with another address registered: ${stillOurs}`;
  // A host that is to come has none.
  if (last || (lifecycle === "active" && !wasOurs)) return "no: the Pillar has another address";
  return `not seen: the Pillar has another address, and no momentum of late is of either; ${stillOurs}`;
}

function describeProducing(registration: Registration, { pillar, lifecycle }: StackLabel, now: number): string {
  switch (registration.kind) {
    case "producing": {
      const { switched, figures } = registration;
      const count = figures
        ? `; ${figures.produced} of ${figures.expected} momentums of this epoch so far, by a count up to five minutes old`
        : "";
      return `yes, since momentum ${switched.height}${switched.orBefore ? " at least" : ""} (${minuteText(switched.at)})${count}`;
    }
    case "registered":
      return `not yet: ${sentenceOf(registration, pillar, now)}`;
    case "tooEarly":
      return "no: a node that is not synced produces nothing";
    case "unknown":
      return "not known, for the same reason";
    case "unknownPillar":
      return "no: nobody registered this Pillar";
    default:
      return describeUnregistered(registration, lifecycle);
  }
}

function formatDestroy(destroy: StatusParts["destroy"], { stack, lifecycle }: StackLabel): Row[] {
  if (destroy === undefined) return [["destroy", `refused: pillar-host:lifecycle of ${stack} is ${lifecycle}`]];
  if ("problem" in destroy) return labelRows("destroy", destroy, () => []);
  const first = lifecycle === "retiring" ? [] : [[`- pillar-host:lifecycle is ${lifecycle}`, "    needed: retiring"]];
  const conditions = [...first, ...destroy.value.map(formatUnmet)];
  const count = conditions.length;
  if (count === 0) return [["destroy", "nothing stands in its way"]];
  return [
    ["destroy", `refused: ${count === 1 ? "one condition is" : `${count} conditions are`} not met`],
    // What was found and what is needed stand below each condition.
    ...conditions.flatMap((lines) => lines.map((line, i): Row => (i === 0 ? ["", line] : ["", line, "detail"]))),
  ];
}
