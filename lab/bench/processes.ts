import { readFile } from "node:fs/promises";
import { endPid, treeOf } from "../hosts/processTree";

/** Memory in MB: resident, and with shared pages counted once. */
export interface Memory {
  readonly rss: number;
  readonly pss: number;
}

export async function memoryOf(pids: readonly number[]): Promise<Memory> {
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "")));
  const sum = (field: string) =>
    texts.reduce((total, text) => total + Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0), 0);
  return { rss: sum("Rss") / 1024, pss: sum("Pss") / 1024 };
}

/** Kills all processes that this one has started, the oldest first, so that none is restarted meanwhile. */
export async function endChildren(): Promise<void> {
  for (const pid of await treeOf(process.pid)) if (pid !== process.pid) endPid(pid);
}
