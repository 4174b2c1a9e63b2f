import { mayShowAddress, type Registration } from "../../core/registration/registration.ts";
import { hourlyRestart, hourlyRestartNow } from "../../core/steps/nodeSteps.ts";
import { decideResumption } from "../../providers/syncGate.ts";
import { configOf } from "../components/exampleConfig.ts";
import { Sandbox } from "../core/steps/sandbox.ts";

/** A host, as far as gate, hourly restart and producer address are concerned. */
interface Host {
  readonly key: number;
  readonly line: "none" | "on" | "off";
  /** It knows that its node has synced. */
  readonly marked: boolean;
  readonly node: "none" | "behind" | "synced";
}

/** A stack's state: the text of each step's last run, and the gate's outputs. */
interface Kept {
  readonly on?: string;
  readonly deploy?: string;
  readonly off?: string;
  readonly gate?: { readonly key: number; readonly proved: boolean };
}

interface StandUp {
  readonly host: Host;
  readonly saved?: Host | undefined;
  readonly state: Kept;
  /** The host key in the stack's file. */
  readonly pinned: number;
  readonly version: number;
  readonly registered: boolean;
  /** Keys of machines whose node has been synced. */
  readonly everSynced: readonly number[];
}

const emptyHost = { line: "none", marked: false, node: "none" } as const;
const begun: StandUp = {
  host: { key: 1, ...emptyHost },
  state: {},
  pinned: 1,
  version: 0,
  registered: false,
  everSynced: [],
};

/** A run that dies before its nth effect, or one that nothing kills. */
type Act = { readonly do: "up"; readonly dies?: number } | { readonly do: Event };

/** The program's own decisions and scripts; a test sets a mistake in the place of one. */
export interface Program {
  readonly decideResumption: typeof decideResumption;
  readonly mayShowAddress: typeof mayShowAddress;
  /** Changes the script that sets, ends and reads the hourly restart. */
  readonly script: (text: string) => string;
}
export const program: Program = { decideResumption, mayShowAddress, script: (text) => text };

type Call = "syncing" | "synced" | "look";
const config = configOf({});
const line = "0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart\n";
const texts = { none: "", on: line, off: `#${line}` } as const;

/** Runs the real script of the hourly restart on such a host's disk, each case once. */
class CronScript {
  private readonly known = new Map<string, ReturnType<CronScript["play"]>>();
  constructor(private readonly patched: Program["script"]) {}

  /** @param dies before the nth thing that it changes */
  run(call: Call, host: Host, dies?: number): ReturnType<CronScript["play"]> {
    const at = JSON.stringify([call, host.line, host.marked, dies]);
    const known = this.known.get(at) ?? this.play(call, host, dies);
    this.known.set(at, known);
    return known.then((ran) => ({ ...ran, host: { ...host, line: ran.host.line, marked: ran.host.marked } }));
  }

  private async play(call: Call, host: Host, dies = Number.POSITIVE_INFINITY) {
    const box = new Sandbox();
    try {
      box.write("left", String(Number.isFinite(dies) ? dies : 99));
      const die = `left=$(cat "$sandbox/left"); echo $((left - 1)) > "$sandbox/left"; [ "$left" -gt 0 ] || { kill -9 "$script" $PPID; exit 1; }`;
      box.command("mv", `${die}; exec /bin/mv "$@"`);
      box.command(
        "crontab",
        `if [ "$3" = -l ]; then [ -s "$sandbox/tab" ] || { echo "no crontab for root" >&2; exit 1; }; cat "$sandbox/tab"
else ${die}; cp "$3" "$sandbox/tab"; fi`,
      );
      box.write("tab", texts[host.line]);
      if (host.marked) box.mark("synced");
      const step = call === "look" ? hourlyRestartNow(config, true) : hourlyRestart(config, call);
      const { code, stdout, stderr } = await box.run(`export script=$$\n${box.local(this.patched(step.script))}`);
      const died = code === null;
      if (!died && code !== 0) throw new Error(`the script ended with ${code}: ${stderr}`);
      const tab = box.read("tab") ?? "";
      const lines = tab.split("\n").map((each) => `${each}\n`);
      const found: Host["line"] = lines.includes(texts.on) ? "on" : lines.includes(texts.off) ? "off" : "none";
      const left: Host = { ...host, line: found, marked: box.read("state/synced") !== undefined };
      return { host: left, said: stdout.trim(), died };
    } finally {
      box.remove();
    }
  }
}

/**
 * Plays an `up` as in components/node/pillarNode.ts and cutover.ts: a step runs if the state has not run its text on
 * this host, each after the previous one, and completed steps are in the state.
 */
async function up(
  world: StandUp,
  { decideResumption, mayShowAddress }: Program,
  cron: CronScript,
  dies = Number.POSITIVE_INFINITY,
) {
  let { host, state } = world;
  let effects = 0;
  const { pinned, version } = world;
  const text = `${version}/${pinned}`;
  /** @param shown true if the producer address was shown */
  const ended = (how: "died" | "refused" | "waits" | "done", shown = false) => ({
    world: { ...world, host, state } as StandUp,
    ended: how,
    shown,
  });
  /** Counts the changes. @returns whether it died before its end */
  const script = async (call: Call): Promise<boolean> => {
    for (let changes = 0; ; changes += 1) {
      const isKilled = effects === dies;
      const ran = await cron.run(call, host, changes);
      if (isKilled || !ran.died) {
        host = ran.host;
        return isKilled;
      }
      effects += 1;
    }
  };
  const isNext = () => effects >= dies;

  if (host.key !== pinned) return ended("refused");
  if (state.on !== text) {
    if (await script("syncing")) return ended("died");
    state = { ...state, on: text };
  }
  if (state.deploy !== text) {
    if (isNext()) return ended("died");
    if (host.node === "none") {
      host = { ...host, node: "behind" };
      effects += 1;
    }
    state = { ...state, deploy: text };
  }
  const machine = { address: "203.0.113.7", hostKey: `ssh-ed25519 ${pinned}` };
  const { gate } = state;
  const kept = gate && {
    ...machine,
    hostKey: `ssh-ed25519 ${gate.key}`,
    ...(gate.proved ? { syncedAt: "2026-01-02T03:04:05Z" } : {}),
  };
  if (kept === undefined || decideResumption(kept, machine) !== "keep") {
    if (host.node !== "synced") {
      state = { ...state, gate: { key: pinned, proved: false } };
      return ended("waits");
    }
    if (isNext()) return ended("died");
    effects += 1;
  }
  state = { ...state, gate: { key: pinned, proved: true } };
  if (state.off !== text) {
    if (await script("synced")) return ended("died");
    state = { ...state, off: text };
  }
  if ((await cron.run("look", host)).said === "on" && (await script("synced"))) return ended("died");
  const registration = { kind: world.registered ? "registered" : "earlier" } as Registration;
  const shown = mayShowAddress({ synced: host.node === "synced" }, registration);
  return ended("done", shown);
}

/** Events on host, state and wallet: each returns the state after it, or undefined if it would change nothing. */
const events = {
  "catch up": (world) => {
    if (world.host.node !== "behind") return undefined;
    const everSynced = [...new Set([...world.everSynced, world.host.key])].sort();
    return { ...world, host: { ...world.host, node: "synced" }, everSynced };
  },
  "fall behind": (world) =>
    world.host.node === "synced" ? { ...world, host: { ...world.host, node: "behind" } } : undefined,
  hand: (world) => (world.host.line === "on" ? undefined : { ...world, host: { ...world.host, line: "on" } }),
  // A snapshot from before the deploy has no node that could sync: the gate would only wait.
  save: (world) =>
    world.saved === undefined && world.host.node !== "none" ? { ...world, saved: world.host } : undefined,
  rewind: (world) =>
    world.saved?.key === world.host.key ? { ...world, host: { ...world.saved, node: "behind" } } : undefined,
  reinstall: (world) =>
    world.host.key > 1 ? undefined : { ...world, host: { key: world.host.key + 1, ...emptyHost } },
  pin: (world) => (world.pinned === world.host.key ? undefined : { ...world, pinned: world.host.key }),
  "lose state": (world) => (Object.keys(world.state).length > 0 ? { ...world, state: {} } : undefined),
  upgrade: (world) => (world.version === 0 ? { ...world, version: 1 } : undefined),
  register: (world) => (world.registered || world.host.node === "none" ? undefined : { ...world, registered: true }),
} satisfies Record<string, (world: StandUp) => StandUp | undefined>;
type Event = keyof typeof events;

/** Checks what a run must never do. @returns the broken promise */
function brokenBy(before: StandUp, { world, ended, shown }: Awaited<ReturnType<typeof up>>): string | undefined {
  const { host, state } = world;
  if (host.marked && before.host.line !== "on" && host.line === "on")
    return "the hourly restart was set on a host that knows its sync";
  if (ended === "done" && host.line === "on")
    return "a run came to its end, and the hourly restart is on after the proof";
  if (shown && host.node !== "synced" && !world.registered)
    return "the producer address is shown while the node is behind";
  if (state.gate?.proved && !world.everSynced.includes(state.gate.key))
    return "a proof of a machine that was never synced";
  return undefined;
}

/** Runs that may be needed once faults have stopped. */
const mostRuns = 3;

/**
 * Searches all histories of a stand-up, breadth first, until no new state comes. Kills each run before each of its
 * effects; from each state, a few undisturbed runs must complete. Continues once from equal states.
 */
export async function searchStandUp(program: Program) {
  const cron = new CronScript(program.script);
  const seen = new Map<string, { readonly before?: string; readonly act?: Act }>([[JSON.stringify(begun), {}]]);
  let layer: StandUp[] = [begun];
  let transitions = 0;
  let depth = 0;
  const pathTo = (text: string, last?: Act): Act[] => {
    const path = last ? [last] : [];
    for (let at = seen.get(text); at?.act; at = at.before === undefined ? undefined : seen.get(at.before))
      path.unshift(at.act);
    return path;
  };
  /** @param found a shortest history that breaks a promise; without one, all histories were played */
  const result = (found?: { readonly why: string; readonly path: readonly Act[] }) => ({
    states: seen.size,
    transitions,
    depth,
    found,
  });
  for (; layer.length > 0; depth += 1) {
    const next: StandUp[] = [];
    for (const world of layer) {
      const text = JSON.stringify(world);
      const meet = (to: StandUp, act: Act) => {
        transitions += 1;
        const at = JSON.stringify(to);
        if (seen.has(at)) return;
        seen.set(at, { before: text, act });
        next.push(to);
      };
      const why = await settles(world, program, cron);
      if (why !== undefined) return result({ why, path: pathTo(text) });
      for (let dies = 0; ; dies += 1) {
        const act: Act = { do: "up", dies };
        const played = await up(world, program, cron, dies);
        const broken = brokenBy(world, played);
        if (broken !== undefined) return result({ why: broken, path: pathTo(text, act) });
        meet(played.world, act);
        if (played.ended !== "died") break;
      }
      for (const each of Object.keys(events) as Event[]) {
        const to = events[each](world);
        if (to) meet(to, { do: each });
      }
    }
    layer = next;
  }
  return result();
}

/** Checks that a few runs complete once faults have stopped, the node catches up and the key is pinned. */
async function settles(world: StandUp, program: Program, cron: CronScript): Promise<string | undefined> {
  let at = events.pin(world) ?? world;
  for (let run = 0; run < mostRuns; run += 1) {
    at = events["catch up"](at) ?? at;
    const played = await up(at, program, cron);
    if (played.ended === "done" && played.shown && played.world.host.line !== "on" && played.world.host.marked)
      return undefined;
    at = played.world;
  }
  return "once faults have stopped, no run ends with the address shown, and the hourly restart off for good";
}
