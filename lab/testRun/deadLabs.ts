import { readFile } from "node:fs/promises";
import { endProcessesIn } from "../hosts/processTree";
import { Lab } from "../lab";

/** Labs of test and bench runs that were killed; those of runs that are at work beside this one are left alone. */
export async function takeDownTheDead(): Promise<void> {
  for (const name of await Lab.list()) {
    const pid = /^t(\d+)x/.exec(name)?.[1];
    if (pid && !(await isRunning(pid))) await takeDown(name);
  }
}

/** A lab, and what a run that was ended left at work in its directory. */
export async function takeDown(name: string): Promise<void> {
  await endProcessesIn(Lab.directory(name));
  if (Lab.exists(name)) await (await Lab.open(name)).down();
}

async function isRunning(pid: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return /lab\/(test|bench\/main)\.ts/.test(command);
}
