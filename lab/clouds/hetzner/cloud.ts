import type { MachineRoom } from "../machineRoom";
import type { Actions } from "./actions";
import { notFound } from "./apiError";
import type { Catalogue } from "./catalogue";
import type { Faults } from "./faults";
import type { Firewall } from "./firewall";
import type { Server } from "./server";
import type { SshKey } from "./sshKeys";

/** Time, as the cloud has it. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** As the API writes it. */
  stamp(): string;
}

/** One project at Hetzner, and what its parts share. */
export interface Cloud {
  readonly room: MachineRoom;
  readonly clock: Clock;
  readonly newId: () => number;
  readonly faults: Faults;
  readonly catalogue: Catalogue;
  readonly actions: Actions;
  readonly sshKeys: Map<number, SshKey>;
  readonly firewalls: Map<number, Firewall>;
  readonly servers: Map<number, Server>;
}

/** What a path names by its id. */
export function found<T>(all: ReadonlyMap<number, T>, id: string | number | undefined, what: string): T {
  const one = all.get(Number(id));
  if (!one) throw notFound(what);
  return one;
}
