import type { Clock } from "../util/clock";
import { createHttp, ignoreStatuses } from "./http";

// https://docs.hetzner.cloud/reference/cloud and https://docs.digitalocean.com/reference/api, as of November 2026.
// The state stores this file with each guard, so it does less than the clouds' clients.

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
}

interface ServerFields {
  readonly status?: unknown;
  readonly protection?: { readonly delete?: unknown };
  readonly locked?: unknown;
}

/** A server's state: `gone`, or the provider's word for it, such as `off`. */
type PowerState = string;

export interface PowerDeps extends Pick<Clock, "sleep"> {
  readonly say?: ((line: string) => void) | undefined;
}

const maxOffPolls = 60;
const offPollMs = 3000;

export function openServer({ provider, id, token, endpoint }: CloudServer, { sleep, say }: PowerDeps) {
  if (provider !== "hetzner" && provider !== "digitalocean") throw new Error(`no cloud provider is called ${provider}`);
  const api = apis[provider];
  const path = `${api.path}/${id}`;
  const http = createHttp({ provider: api.title, endpoint: endpoint ?? api.endpoint, token, sleep, say });
  const act = (action: string, body: object) => http.act(`${path}${action}`, body);
  return {
    act,
    powerOff: () => act(api.powerOff.path, api.powerOff.body),
    /** Reads the server; undefined if it is gone. */
    read: async (): Promise<ServerFields | undefined> => {
      const answer = await http.find<Readonly<Record<string, ServerFields | undefined>> | null>(path);
      return answer === undefined ? undefined : (answer?.[api.key] ?? {});
    },
  };
}

/** Reads a server's state. @throws Error for the operator, without the token */
export async function readPowerState(server: CloudServer, deps: PowerDeps): Promise<PowerState> {
  const fields = await openServer(server, deps).read();
  if (fields === undefined) return "gone";
  if (typeof fields.status !== "string") throw new Error(formatMissingField(server, "state"));
  return fields.status;
}

export function formatMissingField({ provider, id }: CloudServer, field: string): string {
  return `the API of ${provider} does not report the ${field} of server ${id}`;
}

/** Cuts a server's power without a shutdown, and waits until the server is off. @throws Error for the operator */
export async function powerOff(server: CloudServer, deps: PowerDeps): Promise<PowerState> {
  const before = await readPowerState(server, deps);
  if (before === "off" || before === "gone") return before;
  // Ignores that the server is busy, perhaps with an earlier power-off: the loop waits for that, too.
  await openServer(server, deps)
    .powerOff()
    .catch(ignoreStatuses(409, 422, 423));
  for (let left = maxOffPolls; left > 0; left -= 1) {
    const state = await readPowerState(server, deps);
    if (state === "off" || state === "gone") return state;
    await deps.sleep(offPollMs);
  }
  throw new Error(`server ${server.id} at ${server.provider} is not off after ${(maxOffPolls * offPollMs) / 1000} s`);
}
