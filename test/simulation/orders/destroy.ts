import type { ChainReading } from "../../../core/retirement/readChain.ts";
import type { RetirementFacts } from "../../../core/retirement/retirementFacts.ts";
import { clientNamed } from "../../core/chain/readings.ts";
import type { Act } from "./events.ts";
import type { Program } from "./program.ts";
import { setProtection, up } from "./up.ts";
import { ask, engineOf, isOwn, keys, type Operator, paths, Refused, type State, type World } from "./world.ts";

/** Plays `pulumi destroy`, or first an `up` of the retiring stack, as the documents say. */
export async function destroy(program: Program, world: World, by: Operator, act: Extract<Act, { do: "destroy" }>) {
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
    const { token, endpoint } = world.cloud;
    const client = program.createCloud[world.provider]({ token, endpoint, sleep: async () => undefined });
    await program.assertNoneLeft(state.order, client, { sleep: async () => undefined });
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
