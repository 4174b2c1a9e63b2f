import { createRequire } from "node:module";
import { Readable } from "node:stream";
import type * as pulumi from "@pulumi/pulumi";
import type { CloudRun } from "../../components/host/cloudParts";
import type { LastRun } from "../../components/lastRun";
import {
  type CloudConfig,
  formatKeyName,
  formatResourceName,
  type Owner,
  type SentOrder,
} from "../../core/cloud/cloud";
import type * as clouds from "../../core/cloud/clouds";
import type * as deciding from "../../core/cloud/decideServer";
import type { KeepDecision, MakeDecision } from "../../core/cloud/decideServer";
import { createDigitaloceanTag, orderTagPrefix } from "../../core/cloud/digitalocean";
import { createHetznerLabels, hetznerOrderLabel } from "../../core/cloud/hetzner";
import type { OrderRecord } from "../../core/cloud/orderRecord";
import type { StackConfig } from "../../core/config/config";
import type { CloudHostConfig } from "../../core/config/hostSchema";
import type * as retirement from "../../core/retirement/decideRetirement";
import type * as memory from "../../core/retirement/guardMemory";
import type { ChainReading } from "../../core/retirement/readChain";
import type { RetirementFacts } from "../../core/retirement/retirementFacts";
import type * as surveying from "../../core/retirement/surveyRetirement";
import { deriveConfiguredPublicKey } from "../../core/ssh/configuredLogin";
import type { Server } from "../../lab/clouds/account";
import type { CloudName } from "../../lab/clouds/names";
import { loadMutated, type Mutation } from "../../lab/simulation/rules";
import { randomOf } from "../../lab/simulation/seededRandom";
import { createKeyPair } from "../../providers/hostKey";
import type { ResourceTable } from "../../providers/runtime/provider";
import { configOf } from "../components/exampleConfig";
import { clientNamed } from "../core/chain/readings";
import { type ServedCloud, serveCloud } from "../lab/clouds/servedCloud";

// Two operators with backends of their own order servers for one stack's name at one account, are killed between any two
// effects, and destroy. The program's own decisions and providers run against the clouds' doubles; this file plays the
// engine, the plugins and the wiring of components/host.

type HostKeyState = { readonly publicKey: string; readonly privateKey: string; readonly orders: readonly SentOrder[] };
type HostKeyInputs = { stranger?: string; otherOrder?: string; seen?: string; run?: string };
type OrderInputs = {
  readonly orders: readonly SentOrder[];
  readonly isOrder: boolean;
  readonly seen: string | undefined;
  readonly owner: Owner;
  readonly cloud: { readonly provider: CloudName; readonly token: string; readonly endpoint: string };
};
type OrderState = OrderInputs & { readonly isOrdered: boolean; readonly orderedAt?: string };

/** The program's functions, some of which no other file of it uses. */
interface Program {
  readonly createCloud: typeof clouds.createCloud;
  readonly decideServer: typeof deciding.decideServer;
  readonly beforeOrder: (
    run: CloudRun<MakeDecision>,
    sent: readonly SentOrder[],
    sshKeyId: string | undefined,
  ) => Promise<void>;
  readonly findAddress: (run: CloudRun, serverId: string, recorded: string, isOrdered: boolean) => Promise<string>;
  readonly handleOrderError: (run: CloudRun<MakeDecision>) => pulumi.ErrorHookFunction;
  readonly formatStrangers: (run: CloudRun<KeepDecision>, last: LastRun) => Promise<HostKeyInputs>;
  readonly HostKey: { readonly table: ResourceTable<HostKeyInputs, HostKeyState> };
  readonly ServerOrder: { readonly table: ResourceTable<OrderInputs, OrderState> };
  readonly assertNoneLeft: (inputs: OrderInputs, clock: { sleep(): Promise<void> }) => Promise<void>;
  readonly decideRetirement: typeof retirement.decideRetirement;
  readonly isReached: typeof memory.isReached;
  readonly findRegistrationDoubts: typeof surveying.findRegistrationDoubts;
}

const files = [
  ...[
    "core/cloud/clouds",
    "core/cloud/decideServer",
    "core/retirement/decideRetirement",
    "core/retirement/guardMemory",
  ],
  ...["core/retirement/surveyRetirement", "components/host/cloudServer", "components/host/registerCloudHost"],
  ...["providers/hostKey", "providers/serverOrder"],
];

/** Exports what only its own file uses. */
const openings: readonly Mutation[] = [
  ...["beforeOrder", "findAddress"].map((name) => ({
    file: "components/host/cloudServer.ts",
    from: `async function ${name}(`,
    to: `export async function ${name}(`,
  })),
  {
    file: "components/host/registerCloudHost.ts",
    from: "async function formatStrangers(",
    to: "export async function formatStrangers(",
  },
  {
    file: "providers/runtime/dynamicResource.ts",
    from: "class Resource extends pulumi.CustomResource {",
    to: "class Resource extends pulumi.CustomResource {\n    static readonly table = table;",
  },
];

export const loadProgram = (mistakes: readonly Mutation[] = []) =>
  loadMutated<Program>(files, [...openings, ...mistakes]);

/** What one operator's backend has. */
interface State {
  hostKey?: HostKeyState & HostKeyInputs;
  sshKey?: { readonly id: string; readonly publicKey: string };
  firewall?: string;
  tag?: string;
  order?: OrderState;
  server?: { readonly id: string; readonly hasFailed: boolean };
  guard?: { readonly serverId: string; readonly isReached: boolean; readonly isOwnServer: boolean; at?: string };
  isProtected?: boolean;
}

interface Operator {
  readonly name: "one" | "two";
  /** Another one after the state was lost or removed: what it ordered before is of another order. */
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

/** What is true of a server, whatever its labels say. */
interface Truth {
  readonly by: string;
  readonly life: number;
  /** A Pillar works there. */
  isLive: boolean;
  registeredAt?: number;
}

interface World {
  readonly provider: CloudName;
  readonly cloud: ServedCloud;
  readonly operators: Readonly<Record<Operator["name"], Operator>>;
  readonly truth: Map<number, Truth>;
  /** Orders of plugins that outlived their engine. */
  readonly late: (() => Promise<unknown>)[];
  /** Labels that servers have lost. */
  readonly hidden: Map<Server, Server["labels"]>;
  /** How each command ended. */
  readonly ends: ("killed" | "refused" | "done")[];
  broken?: string;
}

export type Act =
  | {
      readonly do: "up";
      readonly by: Operator["name"];
      readonly dies?: number;
      /** True if a plugin sends its order after the death of its engine. */
      readonly isLate?: boolean;
      readonly fault?: "no room" | "fails" | "refused" | "lost answer";
      /** True if ssh gets through. */
      readonly reaches?: boolean;
      /** What comes between the decision to order and the order. */
      readonly meanwhile?: "a person orders" | "orders arrive late";
    }
  | {
      readonly do: "destroy";
      readonly by: Operator["name"];
      readonly dies?: number;
      /** What the references say about the registration; none: no reference is configured. */
      readonly chain: "none" | "answers";
      /** True if an `up` of the retiring stack comes first. */
      readonly retires: boolean;
      /** True if ssh does not get through. */
      readonly isSilent: boolean;
    }
  | { readonly do: Event; readonly by: Operator["name"] };

class Killed extends Error {}
/** An error that ends the operator's command. */
class Refused extends Error {}

/** The instance that the loaded program prints with. */
const { log } = createRequire(import.meta.filename)("@pulumi/pulumi") as { log: { warn(text: string): Promise<void> } };

const keys = Array.from({ length: 3 }, () => createKeyPair());
const owner: Owner = { stack: "prod", pillar: { name: "Anvil" } };
const locations = { hetzner: ["fsn1", "nbg1"], digitalocean: ["fra1", "ams3"] };
const configs = new Map<string, StackConfig>();

function configFor({ provider, cloud }: World, key: number, lifecycle: StackConfig["lifecycle"]): CloudConfig {
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

const isOwn = (world: World, { name, life }: Operator, id: string | number) => {
  const truth = world.truth.get(Number(id));
  return truth?.by === name && truth.life === life;
};

/** Sends a request of an operator's engine or program to the API. */
const ask = (world: World, method: string, path: string, body?: object) => world.cloud.ask(method, path, body);

/** Counts effects, and kills the engine before the one with this number. */
function engineOf(dies = Number.POSITIVE_INFINITY) {
  let effects = 0;
  return () => {
    if (effects >= dies) throw new Killed();
    effects += 1;
  };
}

const paths = {
  hetzner: { servers: "/servers", keys: "/ssh_keys", server: "server", key: "ssh_key" },
  digitalocean: { servers: "/droplets", keys: "/account/keys", server: "droplet", key: "ssh_key" },
} as const;

/** Counts runs, each of which that orders has a value of its own. */
let runs = 0;

/** Plays an `up` up to the first contact, as components/host registers it. */
async function up(program: Program, world: World, by: Operator, act: Extract<Act, { do: "up" }>, isRetiring = false) {
  const tick = engineOf(act.dies);
  const { state } = by;
  const say = (text: string) => {
    by.last.push(text);
    by.said.push(text);
  };
  const config = configFor(world, by.key, isRetiring ? "retiring" : "active");
  const { token, endpoint } = world.cloud;
  const cloud = program.createCloud[world.provider]({ token, endpoint, sleep: async () => undefined });
  const orders = {
    read: async () => by.record,
    write: async (record: OrderRecord) => {
      tick();
      by.record = structuredClone(record);
    },
  };
  const record = await orders.read();
  const decided = await program.decideServer(config, cloud, record);
  if ("faults" in decided) {
    say(decided.faults.join("\n"));
    if (decided.isExhausted) await orders.write({ attempts: [], shown: record.shown, sent: record.sent });
    throw new Refused();
  }
  say([...decided.lines, ...decided.warnings].join("\n"));
  const { plan } = decided;
  if (plan.kind === "gone") return;
  const run = { config, cloud, orders, record, plan } as CloudRun;
  const seen = plan.kind === "keep" ? (plan.server.order ?? "") : undefined;
  const last = { finished: false, ...(by.serverId === undefined ? {} : { serverId: by.serverId }) };
  const strangers = plan.kind === "keep" ? await program.formatStrangers(run as CloudRun<KeepDecision>, last) : {};
  const wanted = { ...strangers, seen, run: plan.kind === "make" ? String(++runs) : undefined };
  const given = JSON.parse(JSON.stringify(wanted)) as HostKeyInputs;
  const { create, update, changes } = program.HostKey.table;
  // A state that has a key ignores the first input (options of HostKey).
  const news = state.hostKey ? { ...given, stranger: state.hostKey.stranger } : given;
  tick();
  if (state.hostKey === undefined || changes?.(state.hostKey, news)) {
    const made = state.hostKey ? await update(state.hostKey, news, {} as never) : await create(news, {} as never);
    tick();
    state.hostKey = JSON.parse(JSON.stringify({ ...news, ...made }));
  }
  const hostKey = state.hostKey as HostKeyState;
  await registerParts(world, by, run, tick);
  const keyId = state.sshKey?.id ?? plan.found.foreignKey;
  const orderInputs: OrderInputs = {
    ...{ orders: hostKey.orders, isOrder: plan.kind === "make", seen, owner },
    cloud: { provider: world.provider, token, endpoint },
  };
  if (!state.order || program.ServerOrder.table.changes?.(state.order, orderInputs)) {
    const made = await program.ServerOrder.table.create(orderInputs, {} as never);
    tick();
    state.order = JSON.parse(JSON.stringify({ ...orderInputs, ...made }));
  }
  const order = state.order as OrderState;
  if (plan.kind === "make") await program.beforeOrder({ ...run, plan }, hostKey.orders, keyId);
  if (plan.kind === "make" && act.meanwhile) await events[act.meanwhile](world);
  const make = () => sendOrder(program, world, by, { ...run, plan: plan as MakeDecision }, keyId, tick, act.isLate);
  if (plan.kind === "keep") {
    tick();
    if (state.server && state.server.id !== plan.server.id)
      throw new Refused("the engine replaces no protected server");
    state.server ??= { id: plan.server.id, hasFailed: false };
  } else if (state.server === undefined) await make();
  else if (plan.leftover && state.server.hasFailed) {
    tick();
    await ask(world, "DELETE", `${paths[world.provider].servers}/${state.server.id}`);
    tick();
    state.server = undefined;
    await make();
  }
  state.isProtected = !isRetiring;
  const { id } = state.server as NonNullable<State["server"]>;
  const address = await program.findAddress(run, id, "", order.isOrdered);
  if (!isRetiring) {
    const machine = world.cloud.account.servers.get(Number(id));
    const admits = world.cloud.machines.get(machine?.machine ?? "")?.order;
    if (!act.reaches || address === "" || !admits?.sshKeys.includes(keys[by.key]?.publicKey ?? ""))
      throw new Refused(`no login is possible at server ${id}`);
    if (!admits.userData.includes(JSON.stringify(hostKey.publicKey).slice(1, -1)))
      throw new Refused(`server ${id} shows another host key`);
    tick();
    by.hasReached = true;
    const truth = world.truth.get(Number(id));
    if (truth) truth.isLive = true;
    by.serverId = id;
    await orders.write({ attempts: [] });
  }
  tick();
  const known = state.guard?.serverId === id ? state.guard : undefined;
  const isReached = known?.isReached === true || !isRetiring || by.hasReached;
  state.guard = { serverId: id, isReached, isOwnServer: order.isOrdered, at: order.orderedAt };
  by.serverId = id;
}

/** Plays ssh key, tag and firewall. A key object is replaced if the configured key is another. */
async function registerParts(world: World, { state, key }: Operator, { config, plan }: CloudRun, tick: () => void) {
  const { found } = plan;
  const publicKey = deriveConfiguredPublicKey(config) ?? "";
  const path = paths[world.provider];
  const labels = createHetznerLabels(owner);
  const hasForeignKey = found.sshKey === undefined && found.foreignKey !== undefined;
  const keeps = plan.kind === "keep";
  if (hasForeignKey) delete state.sshKey;
  else if (state.sshKey === undefined || (!keeps && state.sshKey.publicKey !== publicKey)) {
    const old = state.sshKey;
    tick();
    const add = async () => {
      const body = { name: formatKeyName(config, publicKey), public_key: keys[key]?.publicKey, labels };
      const answer = await ask(world, "POST", path.keys, body);
      if (answer.ssh_key === undefined) throw new Refused(JSON.stringify(answer));
      return String(answer.ssh_key.id);
    };
    const id = (old ? undefined : found.sshKey) ?? (await add());
    tick();
    state.sshKey = { id, publicKey };
    if (old) await ask(world, "DELETE", `${path.keys}/${old.id}`);
  }
  if (world.provider === "digitalocean" && state.tag === undefined) {
    tick();
    const name = found.tag ?? createDigitaloceanTag(owner);
    if (found.tag === undefined) await ask(world, "POST", "/tags", { name });
    tick();
    state.tag = name;
  }
  if (state.firewall === undefined) {
    tick();
    const name = formatResourceName(owner);
    const rules =
      world.provider === "hetzner"
        ? { labels, rules: [{ direction: "in", protocol: "tcp", port: "22", source_ips: ["198.51.100.7/32"] }] }
        : {
            tags: [createDigitaloceanTag(owner)],
            inbound_rules: [{ protocol: "tcp", ports: "22", sources: { addresses: ["198.51.100.7/32"] } }],
          };
    const add = async () => String((await ask(world, "POST", "/firewalls", { name, ...rules })).firewall.id);
    const id = found.firewall ?? (await add());
    tick();
    state.firewall = id;
  }
}

/** Plays the plugin's creation of a server. */
async function sendOrder(
  program: Program,
  world: World,
  by: Operator,
  run: CloudRun<MakeDecision>,
  keyId: string | undefined,
  tick: () => void,
  isLate?: boolean,
): Promise<void> {
  const { state, name, life, key } = by;
  const { offer } = run.plan;
  const { account, machines } = world.cloud;
  const path = paths[world.provider];
  const number = state.hostKey?.orders.at(-1)?.number;
  const common = { name: formatResourceName(owner), user_data: JSON.stringify(state.hostKey?.publicKey) };
  const body =
    world.provider === "hetzner"
      ? {
          ...{ ...common, server_type: offer.plan, location: offer.location, image: "ubuntu-22.04" },
          ...{ ssh_keys: [Number(keyId)], firewalls: [{ firewall: Number(state.firewall) }] },
          labels: { ...createHetznerLabels(owner), [hetznerOrderLabel]: number },
        }
      : {
          ...{ ...common, size: offer.plan, region: offer.location, image: "ubuntu-22-04-x64" },
          ...{ ssh_keys: [Number(keyId)], tags: [createDigitaloceanTag(owner), `${orderTagPrefix}${number}`] },
        };
  // A person may delete the firewall before a late order comes.
  const send = async (isSentLate = false) => {
    const before = new Set(account.servers.keys());
    try {
      return await ask(world, "POST", path.servers, body);
    } finally {
      for (const [id, { machine }] of account.servers) {
        if (before.has(id)) continue;
        world.truth.set(id, { by: name, life, isLive: false });
        const made = machines.get(machine);
        if (made && made.order.sshKeys.join() !== keys[key]?.publicKey)
          world.broken ??= `server ${id} of operator ${name} admits another key`;
        if (made && made.rules === undefined && !isSentLate)
          world.broken ??= `server ${id} of operator ${name} has no firewall`;
      }
    }
  };
  const fail = async (reason: string) => {
    const handle = program.handleOrderError(run);
    await handle({ urn: "", id: "", name: "server", type: "", failedOperation: "create", errors: [reason] } as never);
    throw new Refused(reason);
  };
  try {
    tick();
  } catch (error) {
    if (isLate) world.late.push(() => send(true).catch(() => undefined));
    throw error;
  }
  const answer = await send().catch((error: Error) => (world.provider === "digitalocean" ? send() : { error }));
  const made = answer[path.server];
  tick();
  if (made === undefined) return fail(answer.error?.message ?? answer.message);
  const { id } = made;
  const { failure } = (await run.cloud.readServer(String(id))) ?? {};
  tick();
  if (failure !== undefined) {
    state.server = { id: String(id), hasFailed: true };
    return fail(failure);
  }
  if (world.provider === "hetzner") await setProtection(world, id, true);
  tick();
  state.server = { id: String(id), hasFailed: false };
}

const setProtection = async (world: World, id: string, isOn: boolean) => {
  if (world.provider !== "hetzner") return;
  await ask(world, "POST", `/servers/${id}/actions/change_protection`, { delete: isOn, rebuild: isOn });
  await ask(world, "GET", `/servers/${id}`);
};

/** Plays `pulumi destroy`, or first an `up` of the retiring stack, as the documents say. */
async function destroy(program: Program, world: World, by: Operator, act: Extract<Act, { do: "destroy" }>) {
  const tick = engineOf(act.dies);
  const { state, last } = by;
  const path = paths[world.provider];
  if (act.retires) await up(program, world, by, { do: "up", by: by.name }, true);
  const { server } = state;
  if (server !== undefined) {
    if (state.isProtected) throw new Refused("the server is protected");
    if (state.guard?.serverId === server.id) await release(program, world, state.guard, act);
    tick();
    const isGone = !world.cloud.account.servers.has(Number(server.id));
    if (!isGone) await ask(world, "DELETE", `${path.servers}/${server.id}`);
    await ask(world, "GET", path.servers);
    if (world.cloud.account.servers.has(Number(server.id))) throw new Refused("the provider protects the server");
    tick();
    state.server = undefined;
  }
  delete state.guard;
  if (state.order) {
    tick();
    await program.assertNoneLeft(state.order, { sleep: async () => undefined });
    tick();
    delete state.order;
  }
  for (const [part, at] of [
    ["firewall", "/firewalls"],
    ["sshKey", path.keys],
    ["tag", "/tags"],
  ] as const) {
    const made = state[part];
    if (made === undefined) continue;
    tick();
    await ask(world, "DELETE", `${at}/${encodeURIComponent(typeof made === "string" ? made : made.id)}`);
    tick();
    delete state[part];
  }
  by.state = {};
  by.serverId = undefined;
  const said = [...by.said, ...last].join("\n");
  for (const id of world.cloud.account.servers.keys())
    if (isOwn(world, by, id) && !said.includes(String(id)))
      world.broken ??= `operator ${by.name} destroyed all, and server ${id} is left running unnamed`;
  by.life += 1;
}

/** Plays the guard's release of a server, for which ssh may be silent. */
async function release(
  program: Program,
  world: World,
  guard: NonNullable<State["guard"]>,
  act: Extract<Act, { do: "destroy" }>,
) {
  const server = world.cloud.account.servers.get(Number(guard.serverId));
  if (server === undefined) return;
  const by = world.operators[act.by];
  const order = world.cloud.machines.get(server.machine)?.order;
  const knows = order?.userData.includes(JSON.stringify(by.state.hostKey?.publicKey).slice(1, -1)) === true;
  const admits = knows && order?.sshKeys.includes(keys[by.key]?.publicKey ?? "");
  const truth = world.truth.get(server.id);
  if (!act.isSilent && admits && truth?.isLive) throw new Refused("the node of this host has no successor");
  if (act.isSilent || !admits) {
    const readings = act.chain === "none" ? [] : [readingOf(world)];
    const isReached = program.isReached(guard, guard as never);
    const facts: RetirementFacts = {
      ...{ pillar: "Anvil", stack: "prod", step: "destroy", address: server.address ?? "", readings, rewards: [] },
      host: act.isSilent
        ? { unseen: "ETIMEDOUT", provider: world.provider }
        : { silent: "another key", isRefused: true },
      memory: { isReached, isOwnWork: true },
      ...{ knownProducer: undefined, isChainKnown: false, backupFaults: ["none"] },
      registrationDoubts: isReached
        ? undefined
        : await program.findRegistrationDoubts({ readings, successor: undefined }, guard.at),
    };
    const { unmet } = program.decideRetirement(facts);
    if (unmet.length > 0) throw new Refused(unmet.map(({ what }) => what).join("\n"));
  }
  await setProtection(world, guard.serverId, false);
}

/** Returns what a reference says: the registered address is of the server that was registered last, or the old host's. */
function readingOf({ truth }: World): ChainReading {
  const [holder, of] = [...truth].findLast(([, { registeredAt }]) => registeredAt !== undefined) ?? [];
  const since = of?.registeredAt ?? 0;
  const momentum = (time: number) => ({
    ...{ height: 1, hash: "h1", timestamp: time, producer: time > since ? `z${holder ?? "old"}` : "another" },
  });
  let asked = 0;
  const client = clientNamed("reference", {
    before: async (time) => {
      asked = time;
      return momentum(time - 1);
    },
    momentums: async () => [momentum(asked - 1)],
  });
  const figures = { expected: 1, produced: 1 };
  const pillar = { name: "Anvil", producerAddress: `z${holder ?? "old"}`, withdrawAddress: "w", figures };
  const rest = { pillar, patience: 1, last: {}, alternate: false, recent: [] };
  return { client, newest: momentum(Date.now()), clock: Date.now(), ...rest } as unknown as ChainReading;
}

/** What else happens to an operator's stack, or at the provider's console. */
const events = {
  refresh: async ({ cloud: { account } }, { state }) => {
    if (state.server && !account.servers.has(Number(state.server.id))) state.server = undefined;
    if (state.firewall && !account.firewalls.has(Number(state.firewall))) state.firewall = undefined;
    if (state.sshKey && !account.keys.has(Number(state.sshKey.id))) state.sshKey = undefined;
    if (state.tag && !account.tags.has(state.tag)) state.tag = undefined;
  },
  "lose state": async (_world, by) => void Object.assign(by, { state: {}, life: by.life + 1, serverId: undefined }),
  "lose laptop": async (_world, by) => {
    Object.assign(by, { state: {}, life: by.life + 1, serverId: undefined, hasReached: false });
    by.record = { attempts: [] };
  },
  "lose record": async (_world, by) => void Object.assign(by, { record: { attempts: [] } }),
  "change key": async (_world, by) => void Object.assign(by, { key: (by.key + 1) % keys.length }),
  "a person orders": async (world) => {
    const path = paths[world.provider];
    const body =
      world.provider === "hetzner"
        ? {
            ...{ name: "mine", server_type: "cx33", location: "fsn1", image: "ubuntu-22.04" },
            labels: createHetznerLabels(owner),
          }
        : {
            ...{ name: "mine", size: "s-4vcpu-8gb", region: "fra1", image: "ubuntu-22-04-x64" },
            tags: [createDigitaloceanTag(owner)],
          };
    const made = (await ask(world, "POST", path.servers, body))[path.server];
    if (made) world.truth.set(made.id, { by: "a person", life: 0, isLive: true });
  },
  "a person adds a key": async (world, { key }) => {
    const name = formatKeyName(owner, keys[key]?.publicKey ?? "");
    const body = { name, public_key: createKeyPair().publicKey, labels: createHetznerLabels(owner) };
    await ask(world, "POST", paths[world.provider].keys, body);
  },
  "a person deletes keys": async ({ cloud: { account } }) => account.keys.clear(),
  "a person deletes firewalls": async ({ cloud: { account, machines } }) => {
    account.firewalls.clear();
    for (const machine of machines.values()) machine.rules = undefined;
  },
  "labels go": async ({ cloud: { account }, hidden }, { state }) => {
    const server = account.servers.get(Number(state.server?.id));
    if (!server || hidden.has(server)) return;
    hidden.set(server, server.labels);
    Object.assign(server, { labels: {} });
  },
  "labels come back": async ({ hidden }) => {
    for (const [server, labels] of hidden) Object.assign(server, { labels });
    hidden.clear();
  },
  "deploy by hand": async ({ truth }, { state }) => {
    const own = state.server?.hasFailed ? undefined : truth.get(Number(state.server?.id));
    if (own) Object.assign(own, { isLive: true, registeredAt: Date.now() });
  },
  // As the message about several servers says: what is of this stack's order and no host.
  tidy: async (world, by) => {
    const { servers, machines } = { ...world.cloud.account, machines: world.cloud.machines };
    for (const [id, server] of servers) {
      const isSurplus = isOwn(world, by, id) && by.state.server?.id !== String(id) && !world.truth.get(id)?.isLive;
      if (!isSurplus || !by.last.join("\n").includes(String(id))) continue;
      servers.delete(id);
      machines.delete(server.machine);
    }
  },
  "orders arrive late": async ({ late }) => {
    for (const send of late.splice(0)) await send();
  },
} satisfies Record<string, (world: World, by: Operator) => Promise<void>>;
type Event = keyof typeof events;

function newWorld(provider: CloudName, cloud: ServedCloud): World {
  cloud.account.clear();
  cloud.machines.clear();
  cloud.requests.length = 0;
  const operator = (name: Operator["name"], key: number): Operator => ({
    ...{ name, key, life: 0, state: {}, record: { attempts: [] }, hasReached: false, said: [], last: [] },
  });
  const operators = { one: operator("one", 0), two: operator("two", 1) };
  return { provider, cloud, operators, truth: new Map(), late: [], hidden: new Map(), ends: [] };
}

/** Checks the requests of a command: it changes no server of another order, and deletes none on which a Pillar works. */
function checkRequests(world: World, by: Operator, from: number): void {
  for (const { method, path, status } of world.cloud.requests.slice(from)) {
    const [, id] = /^\/v\d\/(?:servers|droplets)\/(\d+)/.exec(path) ?? [];
    const truth = world.truth.get(Number(id));
    if (method === "GET" || status >= 400 || truth === undefined) continue;
    const what = `operator ${by.name}: ${method} ${path}`;
    if (truth.by !== by.name) world.broken ??= `${what}, a server of another order`;
    else if (method === "DELETE" && truth.isLive) world.broken ??= `${what}, on which a Pillar works`;
  }
}

async function play(program: Program, world: World, act: Act): Promise<void> {
  const { ends } = world;
  const by = world.operators[act.by];
  const { account, requests, machines } = world.cloud;
  const servers = paths[world.provider].servers;
  if (act.do !== "up" && act.do !== "destroy") {
    await events[act.do](world, by);
    return;
  }
  const from = requests.length;
  // DigitalOcean's firewall finds its Droplet by the tag.
  const guarded = [...account.servers.values()].filter(
    (server) => machines.get(server.machine)?.rules !== undefined && !world.hidden.has(server),
  );
  by.last = [];
  log.warn = async (text) => {
    by.last.push(text);
    by.said.push(text);
  };
  if (act.do === "up" && act.fault === "no room") account.faults.add({ kind: "noCapacity", times: 1 });
  if (act.do === "up" && act.fault === "fails") account.faults.add({ kind: "noCapacity", shows: "action", times: 1 });
  if (act.do === "up" && act.fault === "refused")
    account.faults.add({ kind: "answer", method: "POST", path: servers, status: 403, times: 1 });
  if (act.do === "up" && act.fault === "lost answer")
    account.faults.add({ kind: "cutAnswer", method: "POST", path: servers, times: 1 });
  try {
    await (act.do === "up" ? up(program, world, by, act) : destroy(program, world, by, act));
    ends.push("done");
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError || !(error instanceof Error)) throw error;
    ends.push(error instanceof Killed ? "killed" : "refused");
    if (error instanceof Killed) return;
    by.last.push(error.message);
    by.said.push(error.message);
  } finally {
    account.faults.clear();
    checkRequests(world, by, from);
    const { server } = by.state;
    if (server && !isOwn(world, by, server.id))
      world.broken ??= `operator ${by.name} claims server ${server.id}, which another order made`;
    for (const { id, machine } of guarded)
      if (machines.has(machine) && machines.get(machine)?.rules === undefined && world.truth.get(id)?.by === by.name)
        world.broken ??= `server ${id} of operator ${by.name} runs without its firewall`;
  }
}

/** Checks that once faults have stopped, a run names each running server that its operator ordered, or has it. */
async function settle(program: Program, world: World): Promise<void> {
  await events["labels come back"](world);
  await events["orders arrive late"](world);
  for (const by of Object.values(world.operators)) {
    for (let run = 0; run < 3 && !world.broken; run += 1) await play(program, world, { do: "up", by: by.name });
    const said = by.last.join("\n");
    const [own, ...others] = [...world.cloud.account.servers.keys()].filter((id) => isOwn(world, by, id));
    const isAlone = own !== undefined && others.length === 0;
    if (isAlone && said.includes("this state did not order it") && said.includes(`(${own})`))
      world.broken ??= `operator ${by.name} calls server ${own} a stranger, which this stack ordered`;
    for (const id of world.cloud.account.servers.keys())
      if (world.truth.get(id)?.by === by.name && by.state.server?.id !== String(id) && !said.includes(String(id)))
        world.broken ??= `server ${id} of operator ${by.name} runs, and nobody names it: ${said}`;
  }
}

interface Found {
  readonly why: string;
  readonly path: readonly Act[];
}

async function replay(program: Program, world: World, path: readonly Act[]): Promise<Found | undefined> {
  let played = 0;
  for (const act of path) {
    await play(program, world, act);
    played += 1;
    if (world.broken) return { why: world.broken, path: path.slice(0, played) };
  }
  await settle(program, world);
  return world.broken === undefined ? undefined : { why: world.broken, path };
}

const operators = ["one", "two"] as const;
const faults = ["no room", "fails", "refused", "lost answer"] as const;
/** More effects than any run has. */
const maxEffects = 22;

function historyOf(seed: number): Act[] {
  const random = randomOf(seed);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const dies = () => (random() < 0.5 ? { dies: Math.floor(random() * maxEffects) } : {});
  const names = Object.keys(events) as Event[];
  const actions = Array.from({ length: 4 + Math.floor(random() * 10) }, (): Act => {
    const [what, by] = [random(), one(operators)];
    if (what < 0.5) {
      const trouble = [
        ...faults.map((fault) => ({ fault })),
        ...(["a person orders", "orders arrive late"] as const).map((meanwhile) => ({ meanwhile })),
      ];
      return {
        do: "up",
        by,
        ...dies(),
        ...(random() < 0.5 ? one(trouble) : {}),
        isLate: random() < 0.3,
        reaches: random() < 0.3,
      };
    }
    if (what < 0.7) {
      const chain = one(["none", "answers"] as const);
      return { do: "destroy", by, ...dies(), chain, retires: random() < 0.7, isSilent: random() < 0.6 };
    }
    return { do: one(names), by };
  });
  // By single acts, a node on a server that its stack never logged in to is rare, and so is an order without labels.
  const by = one(operators);
  const begins: readonly (readonly Act[])[] = [
    [
      { do: "up", by },
      { do: "deploy by hand", by },
      { do: "destroy", by, chain: one(["none", "answers"]), retires: true, isSilent: random() < 0.6 },
    ],
    [
      { do: "up", by },
      { do: "labels go", by },
      { do: "up", by },
      { do: "labels come back", by },
    ],
  ];
  const killed: Act = { do: "up", by, dies: Math.floor(random() * maxEffects), isLate: random() < 0.3 };
  return [...(seed % 5 === 0 ? one(begins) : [killed]), ...actions];
}

/** Plays histories by seed, in turns at both clouds, until one breaks a promise; shortens that one. */
export async function searchOrders(program: Program, { seed, most }: Readonly<Record<"seed" | "most", number>>) {
  const { served, close } = await openCloudsInProcess();
  const count = { acts: 0, servers: 0, killed: 0, refused: 0, done: 0 };
  try {
    for (let at = 0; at < most; at += 1) {
      const provider = at % 2 === 0 ? "hetzner" : "digitalocean";
      const again = async (path: readonly Act[]) => {
        const world = newWorld(provider, served[provider]);
        const broken = await replay(program, world, path);
        return { broken, world };
      };
      const path = historyOf(seed + at);
      const { broken: found, world } = await again(path);
      count.acts += path.length;
      count.servers += world.truth.size;
      for (const end of world.ends) count[end] += 1;
      if (found) return { ...count, histories: at + 1, found: { ...(await shorten(found, again)), provider } };
    }
    return { ...count, histories: most, found: undefined };
  } finally {
    close();
  }
}

/** Leaves out acts for as long as the history still breaks a promise. */
async function shorten(found: Found, again: (path: readonly Act[]) => Promise<{ readonly broken: Found | undefined }>) {
  let best = found;
  for (let at = 0; at < best.path.length; ) {
    const { broken } = await again(best.path.toSpliced(at, 1));
    if (broken) [best, at] = [broken, 0];
    else at += 1;
  }
  return best;
}
