import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect } from "vitest";
import type { NodeReport } from "../../../lab/doubles/chain/index.ts";
import { type FaultName, healFaults, setFault } from "../../../lab/faults/index.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import type { Run } from "../../../lab/stack/engineRun.ts";
import type { LabStack, StackFile } from "../../../lab/stack/stack.ts";
import { expectSuccess, pastPackages, type Stage, staged } from "../fixture.ts";

/** An active `pulumi up`, whose gate is read line by line. */
export interface WatchedUp {
  readonly run: Run;
  /**
   * Waits for the next matching line of the gate, after the last one that was read.
   *
   * @returns the line, from `sync: ` on
   * @throws when the run ends, or no such line comes in time
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

/** Creates that stage with an active gate. */
export function watchedGate(): Stage & { readonly up: WatchedUp } {
  const stage: Stage & { up?: WatchedUp } = gateStage();
  beforeAll(async () => {
    stage.up = await watchUp(stage.stack);
    await stage.up.hears(progress);
    // Without a rate the gate polls every few seconds.
    await sleep(15_000);
  });
  return stage as Stage & { up: WatchedUp };
}

/** Asserts that the run ends synced, and that the node was so in truth. @returns the output `sync` */
export async function expectSynced<T extends { syncedAt: string }>(
  { lab, host, stack }: Stage,
  { run }: WatchedUp,
): Promise<T> {
  await expectSuccess(run.end());
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
    hears: (pattern, seconds = 240) =>
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

/** Returns the facts of a host and its node: if the gate printed nothing, the host may be the cause. */
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
export const progress = /^sync: [\d.]+ %, height \d+ of \d+(?!.*(?:the node says synced|not enough peers))/;

/** Sets a fault, waits for the gate's message about it, heals it, and waits for further progress. */
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
  const defaults = { behind: 900, rate: 5, startRefusedMs: 2000 };
  await lab.chain("PATCH", "/truth", { height: 20_000, momentumSeconds: 0.2, defaults });
}

/** Lets the node catch up. */
export async function catchUp(lab: Lab): Promise<void> {
  await lab.chain("PATCH", "/nodes/host1", { rate: 2000 });
}

/** Returns whether the node was truly synced at a time, by its reports to the chain double. */
export async function wasSynced(lab: Lab, host: LabHost, time: string): Promise<boolean> {
  const reports = await lab.chain<NodeReport[]>("GET", `/nodes/${host.name}/reports`);
  return reports.findLast(({ at }) => at <= Date.parse(time))?.synced === true;
}
