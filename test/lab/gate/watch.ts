import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect } from "vitest";
import type { NodeReport } from "../../../lab/doubles/chain";
import { type FaultName, healFaults, setFault } from "../../../lab/faults";
import type { Lab, LabHost } from "../../../lab/lab";
import type { Run } from "../../../lab/stack/engineRun";
import type { LabStack, StackFile } from "../../../lab/stack/stack";
import { pastPackages, type Stage, staged } from "../fixture";

/** A `pulumi up` that is at work, whose gate is heard line by line. */
export interface WatchedUp {
  readonly run: Run;
  /**
   * Waits for the next line of the gate that matches, from where it was last heard.
   *
   * @returns the line, from `sync: ` on
   * @throws when the run ends, or nothing of the kind is said in time
   */
  hears(pattern: RegExp, seconds?: number): Promise<string>;
}

/** Creates the stage of a gate that waits long: its node keeps its distance. */
export function gateStage(
  changes?: (lab: Lab) => StackFile,
  prepare: (lab: Lab) => Promise<unknown> = async () => undefined,
): Stage {
  return staged(changes, async (lab, host) => {
    await pastPackages(lab, host);
    await keepsItsDistance(lab);
    await prepare(lab);
  });
}

/** Creates such a stage with an active gate. */
export function watchedGate(): Stage & { readonly up: WatchedUp } {
  const stage: Stage & { up?: WatchedUp } = gateStage();
  beforeAll(async () => {
    stage.up = await watchUp(stage.stack);
    await stage.up.hears(progress, 240);
    // Without a rate it looks every few seconds.
    await sleep(15_000);
  });
  return stage as Stage & { up: WatchedUp };
}

/** Asserts that the run ends synced, and that the node was so in truth. @returns the output `sync` */
export async function expectSynced<T extends { syncedAt: string }>(
  { lab, host, stack }: Stage,
  { run }: WatchedUp,
): Promise<T> {
  const { exitCode, output } = await run.end();
  expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
  const { sync } = await stack.outputs<{ sync: T }>();
  expect(await wasSynced(lab, host, sync.syncedAt)).toBe(true);
  return sync;
}

/** Starts `pulumi up` and listens to its gate. */
export async function watchUp(stack: LabStack, args: readonly string[] = []): Promise<WatchedUp> {
  const run = await stack.begin(args);
  let heard = 0;
  return {
    run,
    hears: (pattern, seconds = 90) =>
      run
        .hears(
          (output) => {
            // The last piece may be half a line.
            const lines = output.slice(0, output.lastIndexOf("\n") + 1).split("\n");
            const saying = lines.map((line) => /sync: .*/.exec(line)?.[0]);
            const found = saying.findIndex((line, i) => i >= heard && line !== undefined && pattern.test(line));
            if (found < 0) return undefined;
            heard = found + 1;
            return saying[found];
          },
          String(pattern),
          seconds,
        )
        .catch(async (error: Error) => {
          throw new Error(`${error.message}\n${await storyOf(stack.lab)}`);
        }),
  };
}

/** Returns what a host and its node say of themselves: where the gate heard nothing, the host may be to blame. */
async function storyOf(lab: Lab): Promise<string> {
  const looks = `uptime; systemctl status go-node --no-pager --full --lines=20; systemctl list-jobs --no-pager
    systemctl --failed --no-pager; ss -Hltnp; journalctl -b --no-pager --lines=40`;
  const asked = await lab
    .host("host1")
    .run(looks)
    .catch((error: Error) => ({ stdout: error.message }));
  return String(asked.stdout);
}

/** The gate is back at counting momentums. */
export const progress = /^sync: [\d.]+ %, height \d+ of \d+(?!.*the node says synced)/;

/** Puts a fault on, waits for the words in which the gate tells it, heals it, and waits for the progress to go on. */
export async function livesThrough(
  { up, lab }: { up: WatchedUp; lab: Lab },
  fault: FaultName | readonly [FaultName, string],
  ...words: RegExp[]
): Promise<string[]> {
  const [name, value] = typeof fault === "string" ? [fault] : fault;
  await setFault(lab, "host1", name, value);
  const said: string[] = [];
  for (const pattern of words) said.push(await up.hears(pattern));
  await healFaults(lab, "host1");
  await up.hears(progress);
  return said;
}

/**
 * Sets up a network of five momentums a second and a node that stays 180 s behind it: near enough for a lookup every
 * few seconds, too far for a fresh momentum.
 */
async function keepsItsDistance(lab: Lab): Promise<void> {
  const defaults = { behind: 900, rate: 5, startRefusedMs: 2000, connectMs: 0 };
  await lab.chain("PATCH", "/truth", { height: 20_000, momentumSeconds: 0.2, defaults });
}

/** Lets the node catch up. */
export async function catchUp(lab: Lab): Promise<void> {
  await lab.chain("PATCH", "/nodes/host1", { rate: 2000 });
}

/** Returns whether the node was truly synced at a time, by what it told the chain double then. */
export async function wasSynced(lab: Lab, host: LabHost, time: string): Promise<boolean> {
  const reports = await lab.chain<NodeReport[]>("GET", `/nodes/${host.name}/reports`);
  return reports.findLast(({ at }) => at <= Date.parse(time))?.synced === true;
}
