import type { StackConfig } from "../config/config.ts";
import type { Clock } from "../util/clock.ts";
import { ignoreStatuses } from "../util/problem.ts";
import { createHttp } from "./http.ts";

// Power and protection of one server. https://docs.hetzner.cloud/reference/cloud and
// https://docs.digitalocean.com/reference/api, as of November 2026. DigitalOcean has no protection against deletion.

const apis = {
  hetzner: {
    title: "Hetzner",
    endpoint: "https://api.hetzner.cloud/v1",
    path: "/servers",
    key: "server",
    powerOff: { path: "/actions/poweroff", body: {} },
  },
  digitalocean: {
    title: "DigitalOcean",
    endpoint: "https://api.digitalocean.com",
    path: "/v2/droplets",
    key: "droplet",
    powerOff: { path: "/actions", body: { type: "power_off" } },
  },
} as const;

export interface CloudServer {
  readonly provider: string;
  readonly id: string;
  /** Secret. */
  readonly token: string;
  readonly endpoint?: string | undefined;
  /** The address that the server must have: a number from the event log may name another machine by now. */
  readonly address?: string | undefined;
}

/** Returns a server of a stack with the stack's token; undefined if the stack has no cloud provider. */
export function createCloudServer(
  { host, apiEndpoint: endpoint }: Pick<StackConfig, "host" | "apiEndpoint">,
  id: string | undefined,
): CloudServer | undefined {
  if (host.provider === "existing" || id === undefined) return undefined;
  return { provider: host.provider, id, token: host.token, endpoint };
}

interface ServerFields {
  readonly status?: unknown;
  readonly protection?: { readonly delete?: unknown };
  readonly locked?: unknown;
  /** Hetzner's form. */
  readonly public_net?: { readonly ipv4?: { readonly ip?: unknown } | null };
  /** DigitalOcean's form. */
  readonly networks?: { readonly v4?: readonly { readonly type?: unknown; readonly ip_address?: unknown }[] };
}

type PowerDeps = Pick<Clock, "sleep">;

const maxPolls = 180;
const pollIntervalMs = 1000;

function openServer({ provider, id, token, endpoint }: CloudServer, { sleep }: PowerDeps) {
  if (provider !== "hetzner" && provider !== "digitalocean") throw new Error(`no cloud provider is called ${provider}`);
  const api = apis[provider];
  const path = `${api.path}/${id}`;
  const http = createHttp({ provider: api.title, endpoint: endpoint ?? api.endpoint, token, sleep });
  /** Asks for an action. Ignores that the server is busy, perhaps with an earlier one: the caller polls. */
  const act = (action: string, body: object, ...ignored: number[]) =>
    http.post(`${path}${action}`, body).catch(ignoreStatuses(409, 423, ...ignored));
  return {
    // 422: DigitalOcean's answer if the Droplet is off already.
    powerOff: () => act(api.powerOff.path, api.powerOff.body, 422),
    // The values for delete and rebuild must be equal.
    protect: (isOn: boolean) => act("/actions/change_protection", { delete: isOn, rebuild: isOn }),
    /** Reads the server's fields; undefined if it is gone. */
    read: () => http.find<ServerFields>(path, api.key),
  };
}

function formatMissingField({ provider, id }: CloudServer, field: string): string {
  return `the API of ${provider} does not report the ${field} of server ${id}`;
}

/**
 * Reads a server's state: `gone`, the provider's word for it, or that it is not at the address that it must have.
 * `isOver`: nothing is left to switch off. @throws Error for the operator, without the token
 */
export async function readPower(server: CloudServer, deps: PowerDeps): Promise<{ state: string; isOver: boolean }> {
  const fields = await openServer(server, deps).read();
  if (fields === undefined) return { state: "gone", isOver: true };
  if (typeof fields.status !== "string") throw new Error(formatMissingField(server, "state"));
  const { public_net, networks, status } = fields;
  const found = public_net?.ipv4?.ip ?? networks?.v4?.find(({ type }) => type === "public")?.ip_address;
  if ([undefined, found].includes(server.address)) return { state: status, isOver: status === "off" };
  return { state: `at another address, ${found ?? "none"}`, isOver: true };
}

/** Cuts the power of a server at its address, and waits until the server is off. @throws Error for the operator */
export async function powerOff(server: CloudServer, deps: PowerDeps): Promise<string> {
  for (let left = maxPolls; left > 0; left -= 1) {
    const { state, isOver } = await readPower(server, deps);
    if (isOver) return state;
    if (left === maxPolls) await openServer(server, deps).powerOff();
    else await deps.sleep(pollIntervalMs);
  }
  throw new Error(`server ${server.id} at ${server.provider} is not off after ${(maxPolls * pollIntervalMs) / 1000} s`);
}

/** True if the provider protects the server against deletion; false if the server is gone. @throws Error */
export async function isProtected(server: CloudServer, deps: PowerDeps): Promise<boolean> {
  return server.provider === "hetzner" && (await readProtection(server, deps)).isOn;
}

async function readProtection(server: CloudServer, deps: PowerDeps): Promise<{ isOn: boolean; isLocked: boolean }> {
  const fields = await openServer(server, deps).read();
  if (fields === undefined) return { isOn: false, isLocked: false };
  const isOn = fields.protection?.delete;
  if (typeof isOn !== "boolean") throw new Error(formatMissingField(server, "protection"));
  return { isOn, isLocked: fields.locked === true };
}

/** Sets or lifts the protection, and waits for the effect. @returns whether it changed. @throws Error for operators */
export async function setProtection(server: CloudServer, isOn: boolean, deps: PowerDeps): Promise<boolean> {
  if (server.provider !== "hetzner") return false;
  let isChanged = false;
  for (let left = maxPolls; left > 0; left -= 1) {
    const found = await readProtection(server, deps);
    if (found.isOn === isOn && (isOn || !found.isLocked)) return isChanged;
    if (found.isOn !== isOn) {
      isChanged = true;
      await openServer(server, deps).protect(isOn);
    }
    await deps.sleep(pollIntervalMs);
  }
  const problem = isOn
    ? `does not protect server ${server.id}`
    : `protects server ${server.id}, or runs another action on it`;
  throw new Error(`after ${(maxPolls * pollIntervalMs) / 1000} s, ${server.provider} still ${problem}`);
}
