import type { Faults } from "../api/faults";
import type { MachineRoom } from "../machineRoom";
import type { Actions } from "./actions";
import { notFound } from "./apiError";
import type { Firewall, Server, SshKey } from "./resources";

/** State of one Hetzner project, shared by its parts. */
export interface Cloud {
  readonly room: MachineRoom;
  readonly newId: () => number;
  readonly faults: Faults;
  readonly actions: Actions;
  readonly sshKeys: Map<number, SshKey>;
  readonly firewalls: Map<number, Firewall>;
  readonly servers: Map<number, Server>;
}

/** Returns the item that a path names by its id, or throws the API's 404. */
export function found<T>(all: ReadonlyMap<number, T>, id: string | number | undefined, what: string): T {
  const one = all.get(Number(id));
  if (!one) throw notFound(what);
  return one;
}
