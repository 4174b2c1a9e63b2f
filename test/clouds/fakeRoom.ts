import type { InboundRule, MachineOrder, MachineRoom } from "../../lab/clouds/machineRoom";

interface Machine {
  readonly order: MachineOrder;
  running: boolean;
  rules: readonly InboundRule[] | undefined;
}

/** A machine room without machines: they run the moment they are ordered, and everything asked of it is noted. */
export class FakeRoom implements MachineRoom {
  readonly machines = new Map<string, Machine>();
  readonly asked: string[] = [];

  async order(order: MachineOrder): Promise<{ readonly address: string }> {
    this.asked.push(`order ${order.id}`);
    this.machines.set(order.id, { order, running: true, rules: order.firewall });
    return { address: `198.51.100.${this.machines.size + 10}` };
  }

  async powerOff(id: string): Promise<void> {
    this.asked.push(`powerOff ${id}`);
    this.find(id).running = false;
  }

  async setFirewall(id: string, rules: readonly InboundRule[] | undefined): Promise<void> {
    this.asked.push(`setFirewall ${id}`);
    this.find(id).rules = rules;
  }

  async isRunning(id: string): Promise<boolean> {
    return this.machines.get(id)?.running ?? false;
  }

  async remove(id: string): Promise<void> {
    this.asked.push(`remove ${id}`);
    this.machines.delete(id);
  }

  /** Returns the machine of a Droplet. @throws if there is none */
  find(id: string): Machine {
    const machine = this.machines.get(id);
    if (!machine) throw new Error(`no machine ${id}`);
    return machine;
  }
}
