import type { CloudRun } from "../../../components/host/cloudParts.ts";
import { formatKeyName, formatResourceName } from "../../../core/cloud/cloud.ts";
import type { KeepDecision, MakeDecision } from "../../../core/cloud/decideServer.ts";
import { createDigitaloceanTag, orderTagPrefix } from "../../../core/cloud/digitalocean.ts";
import { createHetznerLabels, hetznerOrderLabel } from "../../../core/cloud/hetzner.ts";
import type { OrderRecord } from "../../../core/cloud/orderRecord.ts";
import { deriveConfiguredPublicKey } from "../../../core/ssh/configuredLogin.ts";
import { type Act, events } from "./events.ts";
import type { HostKeyInputs, HostKeyState, OrderInputs, OrderState, Program } from "./program.ts";
import {
  ask,
  configFor,
  engineOf,
  keys,
  type Operator,
  owner,
  paths,
  Refused,
  type State,
  type World,
} from "./world.ts";

/** Counts runs, each of which that orders has a value of its own. */
let runs = 0;

/** Plays an `up` up to the first contact, as components/host registers it. */
export async function up(
  program: Program,
  world: World,
  by: Operator,
  act: Extract<Act, { do: "up" }>,
  isRetiring = false,
) {
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

export const setProtection = async (world: World, id: string, isOn: boolean) => {
  if (world.provider !== "hetzner") return;
  await ask(world, "POST", `/servers/${id}/actions/change_protection`, { delete: isOn, rebuild: isOn });
  await ask(world, "GET", `/servers/${id}`);
};
