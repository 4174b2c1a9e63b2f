import { Readable } from "node:stream";
import type { CloudConfig, Owner } from "../../../core/cloud/cloud.ts";
import type { OrderRecord } from "../../../core/cloud/orderRecord.ts";
import type { StackConfig } from "../../../core/config/config.ts";
import type { CloudHostConfig } from "../../../core/config/hostSchema.ts";
import type { Server } from "../../../lab/clouds/account.ts";
import type { CloudName } from "../../../lab/clouds/names.ts";
import { createKeyPair } from "../../../providers/hostKey.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { type ServedCloud, serveCloud } from "../../lab/clouds/servedCloud.ts";
import type { HostKeyInputs, HostKeyState, OrderState } from "./program.ts";

/** State in one operator's backend. */
export interface State {
  hostKey?: HostKeyState & HostKeyInputs;
  sshKey?: { readonly id: string; readonly publicKey: string };
  firewall?: string;
  tag?: string;
  order?: OrderState;
  server?: { readonly id: string; readonly hasFailed: boolean };
  guard?: { readonly serverId: string; readonly isReached: boolean; readonly isOwnServer: boolean; at?: string };
  isProtected?: boolean;
}

export interface Operator {
  readonly name: "one" | "two";
  /** Counts lost and removed states: what the operator ordered before is of another order. */
  life: number;
  /** The number of the configured ssh key. */
  key: number;
  state: State;
  record: OrderRecord;
  /** The stack's output of the last finished run. */
  serverId?: string;
  /** True if the event log has a login. */
  hasReached: boolean;
  /** All lines of this life. */
  said: string[];
  /** The lines of the last command. */
  last: string[];
}

/** Facts about a server, whatever its labels say. */
interface Truth {
  readonly by: string;
  readonly life: number;
  /** A Pillar works there. */
  isLive: boolean;
  registeredAt?: number;
}

export interface World {
  readonly provider: CloudName;
  readonly cloud: ServedCloud;
  readonly operators: Readonly<Record<Operator["name"], Operator>>;
  readonly truth: Map<number, Truth>;
  /** Orders of plugins that outlived their engine. */
  readonly late: (() => Promise<unknown>)[];
  /** Labels that servers have lost. */
  readonly hidden: Map<Server, Server["labels"]>;
  /** Each command's end. */
  readonly ends: ("killed" | "refused" | "done")[];
  broken?: string;
}
export class Killed extends Error {}
/** An error that ends the operator's command. */
export class Refused extends Error {}

export const keys = Array.from({ length: 3 }, () => createKeyPair());
export const owner: Owner = { stack: "prod", pillar: { name: "Anvil" } };
const locations = { hetzner: ["fsn1", "nbg1"], digitalocean: ["fra1", "ams3"] };
const configs = new Map<string, StackConfig>();

export function configFor({ provider, cloud }: World, key: number, lifecycle: StackConfig["lifecycle"]): CloudConfig {
  const at = [provider, key].join();
  const made =
    configs.get(at) ??
    configOf({
      host: { provider, token: cloud.token, locations: locations[provider], sshFrom: ["198.51.100.7/32"] },
      ssh: { privateKey: keys[key]?.privateKey },
      orchestrator: { backup: { directory: "/nonexistent/records" } },
    });
  configs.set(at, made);
  return { ...made, lifecycle, apiEndpoint: cloud.endpoint, host: made.host as CloudHostConfig };
}

/** Serves a cloud's double without a network: `fetch` calls it. */
export async function openCloudsInProcess() {
  const served = { hetzner: await serveCloud("hetzner"), digitalocean: await serveCloud("digitalocean") };
  const send = (url: string, init: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      const cut = () => reject(new TypeError("fetch failed", { cause: { code: "ECONNRESET" } }));
      const { pathname, search, href } = new URL(url);
      const { handler } = href.startsWith(served.hetzner.endpoint) ? served.hetzner : served.digitalocean;
      const body = typeof init.body === "string" ? [Buffer.from(init.body)] : [];
      const incoming = Object.assign(Readable.from(body), {
        ...{ url: pathname + search, method: init.method, headers: init.headers, socket: { destroy: cut } },
      });
      let status = 0;
      const response = {
        destroy: cut,
        writeHead: (given: number) => {
          status = given;
          return response;
        },
        end: (text?: string) => resolve(new Response(text ?? null, { status })),
      };
      handler(incoming as never, response as never);
    });
  const real = globalThis.fetch;
  globalThis.fetch = ((url: string, init: RequestInit = {}) => send(String(url), init)) as typeof fetch;
  return {
    served,
    close: () => {
      globalThis.fetch = real;
      for (const each of Object.values(served)) each.close();
    },
  };
}

export const isOwn = (world: World, { name, life }: Operator, id: string | number) => {
  const truth = world.truth.get(Number(id));
  return truth?.by === name && truth.life === life;
};

/** Sends a request of an operator's engine or program to the API. */
export const ask = (world: World, method: string, path: string, body?: object) => world.cloud.ask(method, path, body);

/** Counts effects, and kills the engine before the one with this number. */
export function engineOf(dies = Number.POSITIVE_INFINITY) {
  let effects = 0;
  return () => {
    if (effects >= dies) throw new Killed();
    effects += 1;
  };
}

export const paths = {
  hetzner: { servers: "/servers", keys: "/ssh_keys", server: "server", key: "ssh_key" },
  digitalocean: { servers: "/droplets", keys: "/account/keys", server: "droplet", key: "ssh_key" },
} as const;
export function newWorld(provider: CloudName, cloud: ServedCloud): World {
  cloud.account.clear();
  cloud.machines.clear();
  cloud.requests.length = 0;
  const operator = (name: Operator["name"], key: number): Operator => ({
    ...{ name, key, life: 0, state: {}, record: { attempts: [] }, hasReached: false, said: [], last: [] },
  });
  const operators = { one: operator("one", 0), two: operator("two", 1) };
  return { provider, cloud, operators, truth: new Map(), late: [], hidden: new Map(), ends: [] };
}
