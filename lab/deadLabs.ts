import { readFile } from "node:fs/promises";
import { Lab } from "./lab";

/** Labs of test and bench runs that were killed; those of runs that are at work beside this one are left alone. */
export async function takeDownTheDead(): Promise<void> {
  for (const name of await Lab.list()) {
    const pid = /^t(\d+)x/.exec(name)?.[1];
    if (pid && !(await isRunning(pid))) await (await Lab.open(name)).down();
  }
}

async function isRunning(pid: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return /lab\/(test|bench\/main)\.ts/.test(command);
}
