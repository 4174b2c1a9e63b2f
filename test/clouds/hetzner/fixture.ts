import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createHetzner, type Hetzner, type HetznerOptions } from "../../../lab/clouds/hetzner";
import type { InboundRule, MachineOrder, MachineRoom } from "../../../lab/clouds/machineRoom";

export const TOKEN = "w".repeat(64);
export const READ_ONLY = "r".repeat(64);
export const PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS someone";

/** A machine room without machines, that remembers what it was told. */
export class FakeRoom implements MachineRoom {
  readonly orders: MachineOrder[] = [];
  readonly said: string[] = [];
  readonly up = new Set<string>();
  readonly rules = new Map<string, readonly InboundRule[] | undefined>();

  async order(order: MachineOrder): Promise<{ address: string }> {
    this.orders.push(order);
    this.rules.set(order.id, order.firewall);
    this.up.add(order.id);
    return { address: `10.9.8.${this.orders.length}` };
  }

  async powerOn(id: string): Promise<void> {
    this.said.push(`on ${id}`);
    this.up.add(id);
  }

  async powerOff(id: string, hard: boolean): Promise<void> {
    this.said.push(`${hard ? "unplug" : "shut down"} ${id}`);
    this.up.delete(id);
  }

  async reboot(id: string, hard: boolean): Promise<void> {
    this.said.push(`${hard ? "reset" : "reboot"} ${id}`);
    this.up.add(id);
  }

  async setFirewall(id: string, rules: readonly InboundRule[] | undefined): Promise<void> {
    this.rules.set(id, rules);
  }

  async isRunning(id: string): Promise<boolean> {
    return this.up.has(id);
  }

  async remove(id: string): Promise<void> {
    this.said.push(`remove ${id}`);
    this.up.delete(id);
  }
}

/** A Hetzner project on loopback. */
export interface Running extends Hetzner {
  readonly room: FakeRoom;
  readonly url: string;
  close(): Promise<void>;
}

export async function serve(options: Partial<HetznerOptions> = {}): Promise<Running> {
  const room = new FakeRoom();
  const hetzner = createHetzner({ room, tokens: { [TOKEN]: "write", [READ_ONLY]: "read" }, ...options });
  const server: Server = createServer(hetzner.handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { ...hetzner, room, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** An answer, as loosely typed as JSON is: its shape is what the tests are about. */
export type Json = ReturnType<typeof JSON.parse>;
