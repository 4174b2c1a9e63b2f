import { readFile } from "node:fs/promises";
import { endProcessesIn } from "../hosts/processTree.ts";
import { Lab } from "../lab.ts";

/** Takes down the labs of killed test and bench runs. Spares the labs of runs that still work. */
export async function takeDownTheDead(): Promise<void> {
  for (const name of await Lab.list()) {
    const pid = /^t(\d+)x/.exec(name)?.[1];
    if (pid && !(await isRunning(pid))) await takeDown(name);
  }
}

/** Takes a lab down, and ends the processes that a killed run left in its directory. */
export async function takeDown(name: string): Promise<void> {
  await endProcessesIn(Lab.directory(name));
  if (Lab.exists(name)) await (await Lab.open(name)).down();
}

async function isRunning(pid: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return /lab\/(test|bench\/main)\.ts/.test(command);
}
