import { durationText } from "../util/timeText";
import type { NodeFault, Unanswered } from "./reading";

/** Formats why a node's answer does not count, to follow the node's name and a colon. */
export function faultText(fault: NodeFault): string {
  switch (fault.kind) {
    case "silent":
      return fault.why;
    case "behind":
      return `it is behind: its newest momentum, ${fault.height}, is ${durationText(fault.by)} old`;
    case "ahead":
      return `its newest momentum, ${fault.height}, is of a time that has not come, ${durationText(fault.by)} ahead`;
    case "gap":
      return `it does not give the momentums from ${fault.from} to ${fault.to}, which it has`;
    case "stranger":
      return `it is of another chain: momentum ${fault.height} is not the one that was recorded when this host was synced`;
  }
}

export function leftOutText({ client, fault }: Unanswered): string {
  return `${client.name} is left out: ${faultText(fault)}`;
}

/** Returns a key that changes when a node gets another fault, but not while its newest momentum gets older. */
export function faultKey(fault: NodeFault): string {
  return fault.kind === "silent" ? `silent ${fault.why}` : fault.kind;
}
