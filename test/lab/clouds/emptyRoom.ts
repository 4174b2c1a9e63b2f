import type { InboundRule, MachineOrder, MachineRoom } from "../../../lab/clouds/machineRoom";

interface Machine {
  readonly order: MachineOrder;
  isRunning: boolean;
  rules: readonly InboundRule[] | undefined;
}

/** A machine room without machines: they run the moment they are ordered. Orders and removals are kept in order. */
export interface EmptyRoom extends MachineRoom {
  readonly machines: ReadonlyMap<string, Machine>;
  readonly asked: readonly string[];
}

/** Creates the machine room of tests that end before any connection to a server. */
export function emptyRoom(): EmptyRoom {
  const machines = new Map<string, Machine>();
  const asked: string[] = [];
  let made = 0;
  const change = async (id: string, changes: Partial<Machine>) => {
    Object.assign(machines.get(id) ?? {}, changes);
  };
  return {
    machines,
    asked,
    order: async (order) => {
      asked.push(`order ${order.id}`);
      machines.set(order.id, { order, isRunning: true, rules: order.firewall });
      made += 1;
      return { address: `192.0.2.${made}` };
    },
    powerOff: (id) => change(id, { isRunning: false }),
    setFirewall: (id, rules) => change(id, { rules }),
    isRunning: async (id) => machines.get(id)?.isRunning ?? false,
    remove: async (id) => {
      asked.push(`remove ${id}`);
      machines.delete(id);
    },
  };
}
