import { setTimeout as sleep } from "node:timers/promises";
import type { LabHost } from "../../../lab/lab";
import type { Run } from "../../../lab/stack/engineRun";

export const victims = ["the engine", "the providers' process", "the old host", "the new host"] as const;

export interface Death {
  readonly stage: "stand-up" | "move" | "switch" | "shutdown" | "destroy";
  readonly victim: (typeof victims)[number];
  /** Milliseconds after the run began. */
  readonly after: number;
  /** Unix milliseconds from which on, and until when, its host could not be at work. */
  readonly outage?: { readonly from: number; readonly to: number };
}

export interface Blow {
  readonly stage: Death["stage"];
  readonly run: Run;
  readonly random: () => number;
  /** Milliseconds within which it falls. */
  readonly span: number;
  readonly hosts: { readonly old: LabHost; readonly fresh: LabHost };
}

/** Milliseconds that a host has to boot, and its node to connect and to be elected again. */
const recovery = 60_000;

/** Waits for the random moment, kills, and restores the power. Returns when the run has ended. */
export async function strike({ stage, run, random, span, hosts }: Blow): Promise<Death> {
  const victim = victims[Math.floor(random() * victims.length)] ?? "the engine";
  const after = Math.round(random() * span);
  const isOver = await Promise.race([sleep(after).then(() => false), run.end().then(() => true)]);
  const death = { stage, victim, after };
  if (victim === "the engine") {
    if (!isOver) await run.kill();
    return death;
  }
  if (victim === "the providers' process") {
    // There may be no process between two resources.
    const found = isOver ? undefined : await run.find("dynamic-provider.js").catch(() => undefined);
    if (found) process.kill(found.pid, "SIGKILL");
    await run.end();
    return death;
  }
  const host = victim === "the old host" ? hosts.old : hosts.fresh;
  const from = Date.now();
  await host.stop({ powerCut: true });
  await sleep(2000);
  await host.start();
  const to = Date.now() + recovery;
  await run.end();
  return { ...death, outage: { from, to } };
}

/** Returns the time without production that a death caused. */
export function outageOf({ outage }: Death): readonly { readonly from: number; readonly to: number }[] {
  return outage ? [outage] : [];
}
