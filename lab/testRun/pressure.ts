import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { madeVariable } from "./onceARun.ts";

/** Above this share of the last 10 s in which something waited for a processor, another lab makes all of them slower. */
const busyPercent = 90;
/** So many lab files run at a time at least, on any machine: they wait, too. */
const fewest = 3;
/** Time after which a started lab shows in the pressure. */
const settleMs = 4000;

/**
 * Waits until the machine has processor time for another lab file, so that the number of files at a time fits the
 * machine and the day.
 */
export async function waitForProcessor(pressure = "/proc/pressure/cpu"): Promise<void> {
  const directory = process.env[madeVariable];
  if (!directory) return;
  for (;;) {
    const started = runningLabs(directory);
    const isSettled = started.every((at) => Date.now() - at > settleMs);
    if (started.length < fewest || (isSettled && readPressure(pressure) < busyPercent)) break;
    // Not the same for all: two that look at the same time would both start.
    await sleep(500 + Math.random() * 1000);
  }
  writeFileSync(join(directory, `lab-${process.pid}`), "");
}

/** Returns when the run's other lab files started, in milliseconds since 1970. */
function runningLabs(directory: string): number[] {
  const labs = readdirSync(directory).filter((name) => name.startsWith("lab-") && name !== `lab-${process.pid}`);
  return labs
    .filter((name) => existsSync(`/proc/${name.slice(4)}`))
    .map((name) => statSync(join(directory, name)).mtimeMs);
}

/** Returns `some avg10` of the kernel's pressure on processors, in percent; 0 if the kernel does not measure it. */
export function readPressure(file: string): number {
  try {
    return Number(/^some avg10=([\d.]+)/.exec(readFileSync(file, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
