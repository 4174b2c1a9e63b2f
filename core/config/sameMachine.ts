import { normalizeHost } from "../util/hostPort";

interface Machine {
  readonly address?: string;
  readonly hostKey?: string | undefined;
}

/** True if two hosts are one machine, by address or host key. */
export function isSameMachine(one: Machine, other: Machine): boolean {
  return isSameAddress(one, other) || (one.hostKey !== undefined && one.hostKey === other.hostKey);
}

const isSameAddress = (one: Machine, other: Machine) =>
  one.address !== undefined &&
  other.address !== undefined &&
  normalizeHost(one.address) === normalizeHost(other.address);
