import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AccountOptions } from "../../../lab/clouds/account.ts";
import { createDigitalOcean } from "../../../lab/clouds/digitalocean.ts";
import { createHetzner } from "../../../lab/clouds/hetzner.ts";
import type { InboundRule, MachineOrder, MachineRoom } from "../../../lab/clouds/machineRoom.ts";
import { type CloudName, cloudTokens } from "../../../lab/clouds/names.ts";

interface Machine {
  readonly order: MachineOrder;
  isRunning: boolean;
  rules: readonly InboundRule[] | undefined;
}

/** JSON as it came: its shape is what the tests are about. */
export type Json = ReturnType<typeof JSON.parse>;

/** Serves a cloud's double on loopback, without machines: servers run the moment they are ordered. */
export async function serveCloud(provider: CloudName, { actionMs = 0, tokens = {} }: Partial<AccountOptions> = {}) {
  const machines = new Map<string, Machine>();
  const change = async (id: string, changes: Partial<Machine>) => void Object.assign(machines.get(id) ?? {}, changes);
  const room: MachineRoom = {
    order: async (order) => {
      machines.set(order.id, { order, isRunning: true, rules: order.firewall });
      return { address: `192.0.2.${machines.size}` };
    },
    powerOff: (id) => change(id, { isRunning: false }),
    setFirewall: (id, rules) => change(id, { rules }),
    isRunning: async (id) => machines.get(id)?.isRunning ?? false,
    remove: async (id) => void machines.delete(id),
  };
  const token = cloudTokens[provider];
  const create = { hetzner: createHetzner, digitalocean: createDigitalOcean }[provider];
  const double = create({ room, actionMs, tokens: { [token]: "write", ...tokens } });
  const server = createServer(double.handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const base = { hetzner: `${url}/v1`, digitalocean: `${url}/v2` }[provider];
  /** Sends a request below the API's version, and returns the answer's body. */
  const ask = async (method: string, path: string, body?: object): Promise<Json> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    return text === "" ? undefined : JSON.parse(text);
  };
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  // The endpoint is as the plugin and the program take it.
  return { ...double, machines, endpoint: provider === "hetzner" ? base : url, token, ask, close };
}

export type ServedCloud = Awaited<ReturnType<typeof serveCloud>>;
