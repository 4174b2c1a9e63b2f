import { normalizeHost } from "../util/hostPort";
import type { SchemaFault } from "./configFaults";

interface Machine {
  readonly address?: string;
  readonly hostKey?: string | undefined;
}

/** Refuses the stack's own host, under whatever name, where another host is needed. */
export function findSameMachineFaults({
  host,
  sync,
  orchestrator,
  retirement,
}: {
  readonly host: Machine;
  readonly sync: { readonly oldHost?: Machine | undefined };
  readonly orchestrator: { readonly migrateFrom?: Machine | undefined };
  readonly retirement: { readonly successor?: Machine | undefined };
}): SchemaFault[] {
  const others: readonly (readonly [block: string, other: Machine | undefined, needed: string])[] = [
    ["orchestrator.migrateFrom", orchestrator.migrateFrom, "the old host's, from which the orchestrator comes"],
    ["sync.oldHost", sync.oldHost, "the old host's, whose chain is copied"],
    ["retirement.successor", retirement.successor, "the host that produces after it"],
  ];
  return others.flatMap(([block, other, needed]): SchemaFault[] => {
    if (other === undefined || !isSameMachine(host, other)) return [];
    const [key, what] = isSameAddress(host, other) ? ["address", "is"] : ["hostKey", "is the key of"];
    const cure = { set: `${block}.${key}`, toWord: key.toUpperCase() };
    return [[[...block.split("."), key], `${what} this stack's own host: needed ${needed}`, cure]];
  });
}

export function isSameMachine(one: Machine, other: Machine): boolean {
  return isSameAddress(one, other) || (one.hostKey !== undefined && one.hostKey === other.hostKey);
}

const isSameAddress = (one: Machine, other: Machine) =>
  one.address !== undefined &&
  other.address !== undefined &&
  normalizeHost(one.address) === normalizeHost(other.address);
