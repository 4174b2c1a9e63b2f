import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatMove } from "../../core/eventLog/moveId.ts";
import type { Direction, Journal, WhichHost } from "../../core/orchestrator/rules/journal.ts";
import { type ModelHost, signing } from "../../lab/simulation/host.ts";
import { type Call, effectsOf, type ScriptName } from "../../lab/simulation/scripts.ts";
import { randomOf } from "../../lab/simulation/seededRandom.ts";
import { keyFor, openScriptStage, type ScriptStage, systemctl } from "../core/orchestrator/scriptStage.ts";
import { moveNamed } from "../moveNamed.ts";

/** A script with its variables; `copy` leaves the same files as the copy between the hosts. */
interface Step {
  readonly name: ScriptName | "copy";
  readonly side: WhichHost;
  readonly direction: Direction;
  readonly stack: string;
  readonly stage?: "running" | "moved" | "restored";
  readonly generation?: number;
  /** The pair's other host is another one. */
  readonly isElsewhere?: boolean;
  readonly isRestore?: boolean;
  /** The run has read the journal from before the last script. */
  readonly isOutdated?: boolean;
}

const share = "localstate-1.json";

function put(directory: string, generation: number): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(join(directory, "producer"), { recursive: true });
  writeFileSync(join(directory, "config.json"), "{}");
  writeFileSync(join(directory, share), `${generation}`);
}

function shareIn(directory: string): number | undefined {
  const file = join(directory, share);
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
}

const pick = (of: object, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Reflect.get(of, name)]));
/** Parts of a journal that the simulation has as the host has them. */
const journalParts = ["generation", "isRestore", "source", "target", "direction", "side", "stage"];
const hostParts = ["running", "masked", "directory", "keyAside", "staging", "kept"];

/** Returns the state that the real scripts left, in the simulation's terms. */
function found({ box, unit, directory, journal }: ScriptStage) {
  const written = journal() ?? {};
  const shares = readdirSync(box.dir)
    .filter((name) => name.startsWith("signer.before-"))
    .map((name) => shareIn(join(box.dir, name)) ?? 0);
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return {
    ...pick(written, journalParts),
    move: written.move,
    history: (written.history ?? []).map((past) => `${past.move}:${past.stage}`),
    running: existsSync(join(box.dir, "active")),
    masked: existsSync(`${unit}.moved`) && readlinkSync(unit) === "/dev/null",
    directory: shareIn(directory),
    keyAside: names.some((name) => name.startsWith("producer.moved-to-")) && !names.includes("producer"),
    staging: shareIn(`${directory}.arriving`),
    kept: shares.length > 0 ? Math.max(...shares) : undefined,
  };
}

function simulated(host: ModelHost) {
  const { move, history = [] } = host.journal ?? {};
  return {
    ...pick(host.journal ?? {}, journalParts),
    ...pick(host, hostParts),
    move: move && formatMove(move),
    history: history.map((past) => `${past.move && formatMove(past.move)}:${past.stage}`),
  };
}

function open() {
  const stage = openScriptStage();
  stage.box.command("systemctl", systemctl.replace("start) :", 'start) [ -d "$sandbox/signer" ] || exit 1; :'));
  put(stage.directory, 1);
  writeFileSync(join(stage.box.dir, "active"), "");
  const read: { journal: Journal | undefined; text: string } = { journal: undefined, text: "" };
  return { stage, host: signing("198.51.100.7"), copied: 1, read };
}

/** Plays one step on both. @returns whether both refused it */
async function playOnBoth(both: ReturnType<typeof open>, { name, ...told }: Step): Promise<boolean> {
  const { stage, host } = both;
  if (name === "copy") {
    both.copied += 1;
    host.staging = both.copied;
    put(`${stage.directory}.arriving`, both.copied);
    return false;
  }
  const move = moveNamed(`pillar-host/${told.stack}/Anvil/1`);
  const before = stage.text();
  const { side, direction, stage: settled, generation = 1, isRestore = false } = told;
  const keys = { old: "old", new: told.isElsewhere ? "third" : "new" };
  const { read } = both;
  const call: Call = {
    saga: { move, direction, generation, isRestore },
    side,
    otherAddress: "192.0.2.4",
    keys: { old: keyFor(keys.old).fingerprint, new: keyFor(keys.new).fingerprint },
    stage: settled,
    read: told.isOutdated ? read.journal : host.journal,
  };
  const { code, stderr } = await stage.step(name, {
    ...{ move: formatMove(move), side, direction, generation, isRestore, keys, config: "{}" },
    ...(settled && { settled }),
    ...(told.isOutdated && { read: read.text }),
  });
  both.read = { journal: host.journal, text: before };
  let refused = false;
  try {
    for (const effect of effectsOf(name, host, call)) effect();
  } catch {
    refused = true;
  }
  expect({ refused: code !== 0, ...found(stage) }, `${name} ${JSON.stringify(told)}\n${stderr}`).toEqual({
    refused,
    ...simulated(host),
  });
  return refused;
}

const source = { side: "old", direction: "forward", stack: "prod" } as const;
const target = { side: "old", direction: "back", stack: "prod", generation: 2 } as const;

test("the simulated host behaves as the scripts forward and back, each script twice", async () => {
  const both = open();
  const arrival = ["orchestrator_staging", "copy", "orchestrator_arrive"] as const;
  const again = ["orchestrator_seal", "orchestrator_staging", "orchestrator_arrive", "orchestrator_start"] as const;
  const way: Step[] = [
    ...(["orchestrator_stop", "orchestrator_fence"] as const).map((name) => ({ name, ...source })),
    { name: "orchestrator_settle", stage: "moved", ...source },
    ...[...arrival, ...again].map((name) => ({ name, ...target })),
    { name: "orchestrator_settle", stage: "running", ...target },
  ];
  const refused: string[] = [];
  for (const step of way) for (const _again of [1, 2]) if (await playOnBoth(both, step)) refused.push(step.name);
  both.stage.box.remove();
  // A copy in place is not put there again.
  expect(refused).toEqual(["orchestrator_arrive", "orchestrator_arrive"]);
  expect(both.host).toMatchObject({ running: true, journal: { stage: "running" }, kept: 1 });
});

const leaving = ["orchestrator_stop", "orchestrator_fence", "orchestrator_restore", "orchestrator_settle"] as const;
const arriving = [
  "orchestrator_arrive",
  "orchestrator_arrive",
  "orchestrator_start",
  "orchestrator_settle",
  "orchestrator_seal",
] as const;
// Any script of two stacks may follow any other, so this also tests refusals.
test.each([1, 2, 3])("the simulated host behaves as the scripts in any order: %i", async (seed) => {
  const random = randomOf(seed);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const both = open();
  const seen = { done: 0, refused: 0 };
  let latest = 1;
  for (let count = 0; count < 40; count += 1) {
    const stack = random() < 0.8 ? "prod" : "next";
    // Sometimes a later move begins, an earlier one continues, or one of its number between other hosts does.
    if (random() < 0.15) latest += 1;
    const generation = random() < 0.85 ? latest : Math.max(1, latest - 1);
    const isSource = random() < 0.4;
    const name = isSource ? one(leaving) : one(["orchestrator_staging", "copy", ...arriving] as const);
    const stage = isSource ? one(["moved", "restored"] as const) : ("running" as const);
    const step: Step = {
      name,
      ...(isSource ? source : target),
      stack,
      generation,
      isElsewhere: random() < 0.1,
      isRestore: random() < 0.3,
      isOutdated: random() < 0.15,
      ...(name === "orchestrator_settle" ? { stage } : {}),
    };
    if (await playOnBoth(both, step)) seen.refused += 1;
    else seen.done += 1;
  }
  both.stage.box.remove();
  expect(Math.min(seen.done, seen.refused)).toBeGreaterThan(3);
});
