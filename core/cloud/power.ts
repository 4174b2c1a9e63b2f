import { ask } from "../util/ask";
import { isTooLarge } from "../util/boundedText";
import type { Clock } from "../util/clock";

// https://docs.hetzner.cloud/reference/cloud and https://docs.digitalocean.com/reference/api, as of November 2026.
// Apart from the clouds' clients beside it, whose classes a provider's stored text can't carry.

interface Api {
  readonly server: string;
  readonly poweroff: string;
  readonly body: object;
  readonly statusOf: (answer: unknown) => unknown;
}

const apis: Readonly<Record<string, { readonly endpoint: string; readonly api: (id: string) => Api }>> = {
  hetzner: {
    endpoint: "https://api.hetzner.cloud/v1",
    api: (id) => ({
      server: `/servers/${id}`,
      poweroff: `/servers/${id}/actions/poweroff`,
      body: {},
      statusOf: (answer) => (answer as { server?: { status?: unknown } } | null)?.server?.status,
    }),
  },
  digitalocean: {
    endpoint: "https://api.digitalocean.com",
    api: (id) => ({
      server: `/v2/droplets/${id}`,
      poweroff: `/v2/droplets/${id}/actions`,
      body: { type: "power_off" },
      statusOf: (answer) => (answer as { droplet?: { status?: unknown } } | null)?.droplet?.status,
    }),
  },
};

/** A server at its provider: `gone`, or the provider's word for its state, `off` among them. */
type PowerState = string;

export type PowerDeps = Pick<Clock, "sleep">;

const requestTimeoutMs = 30_000;
const maxAttempts = 4;
const retryDelayMs = 3000;
const maxOffPolls = 60;

/** Reads a server's state. @throws Error in words, without the token */
export async function readPowerState(server: CloudServer, deps: PowerDeps): Promise<PowerState> {
  const { api } = findApi(server);
  const { status, body } = await callApi(server, { method: "GET", path: api.server }, deps);
  if (status === 404) return "gone";
  if (status !== 200) throw new Error(formatPowerRefusal(server, "does not tell the server's state", status));
  const state = api.statusOf(body);
  if (typeof state !== "string")
    throw new Error(formatPowerRefusal(server, "does not tell the server's state", status));
  return state;
}

/** Switches a server off as its power button would, and waits until it is. @throws Error in words */
export async function powerOff(server: CloudServer, deps: PowerDeps): Promise<PowerState> {
  const { api } = findApi(server);
  const before = await readPowerState(server, deps);
  if (before === "off" || before === "gone") return before;
  const { status } = await callApi(server, { method: "POST", path: api.poweroff, body: api.body }, deps);
  // The server is busy with another action: wait for both.
  if (status >= 300 && ![409, 422, 423].includes(status))
    throw new Error(formatPowerRefusal(server, "does not switch the server off", status));
  for (let left = maxOffPolls; left > 0; left -= 1) {
    const state = await readPowerState(server, deps);
    if (state === "off" || state === "gone") return state;
    await deps.sleep(retryDelayMs);
  }
  throw new Error(
    `server ${server.id} at ${server.provider} is not off after ${(maxOffPolls * retryDelayMs) / 1000} s`,
  );
}

function findApi({ provider, id }: CloudServer) {
  const known = apis[provider];
  if (known === undefined) throw new Error(`no cloud provider is called ${provider}`);
  return { endpoint: known.endpoint, api: known.api(id) };
}

export function formatPowerRefusal({ provider, id }: CloudServer, what: string, status: number): string {
  const why = status === 401 || status === 403 ? ": is pillar-host:host.token still valid?" : "";
  return `the API of ${provider} ${what} (server ${id}): it answers ${status}${why}`;
}

/** Asks a provider's API; tries again what may pass: nothing answers, 429, 5xx. @throws Error in words */
export async function callApi(
  server: CloudServer,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: object },
  deps: PowerDeps,
): Promise<{ status: number; body: unknown }> {
  const { token, endpoint = findApi(server).endpoint } = server;
  for (let attempt = 1; ; attempt += 1) {
    let reason: string;
    try {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const request = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
      const { status, text } = await ask(`${endpoint}${path}`, request, requestTimeoutMs);
      if (status !== 429 && status < 500) return { status, body: text === "" ? {} : JSON.parse(text) };
      reason = `it answers ${status}`;
    } catch (error) {
      if (isTooLarge(error))
        throw new Error(`the API of ${server.provider} does not answer as it should: ${error.message}`);
      if (error instanceof SyntaxError) throw new Error(`the API of ${server.provider} does not answer in JSON`);
      reason = (error as Error).message;
    }
    if (attempt === maxAttempts) throw new Error(`the API of ${server.provider} can't be used now: ${reason}`);
    await deps.sleep(retryDelayMs);
  }
}

export interface CloudServer {
  readonly provider: string;
  readonly id: string;
  /** Secret. */
  readonly token: string;
  readonly endpoint?: string | undefined;
}
