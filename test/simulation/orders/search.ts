import { createRequire } from "node:module";
import { randomOf } from "../../../lab/simulation/seededRandom.ts";
import { destroy } from "./destroy.ts";
import { type Act, type Event, events } from "./events.ts";
import type { Program } from "./program.ts";
import { up } from "./up.ts";
import { isOwn, Killed, newWorld, type Operator, openCloudsInProcess, paths, type World } from "./world.ts";

// Two operators with backends of their own order servers for one stack's name at one account, are killed between any two
// effects, and destroy. The program's own decisions and providers run against the clouds' doubles; this file plays the
// engine, the plugins and the wiring of components/host.

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

/** The instance of the SDK that the loaded program prints with. */
const { log } = createRequire(import.meta.filename)("@pulumi/pulumi") as { log: { warn(text: string): Promise<void> } };
let speaker: Operator | undefined;

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
  speaker = by;
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
  const { warn } = log;
  log.warn = async (text) => {
    speaker?.last.push(text);
    speaker?.said.push(text);
  };
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
    log.warn = warn;
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
