import { readdir, readFile, readlink } from "node:fs/promises";

/** Returns the ids of a process and all its descendants. */
export async function treeOf(root: number): Promise<number[]> {
  const tree = [root];
  for (const pid of tree) {
    for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
      const children = await readFile(`/proc/${pid}/task/${thread}/children`, "utf8").catch(() => "");
      tree.push(...children.split(" ").filter(Boolean).map(Number));
    }
  }
  return tree;
}

/** Returns the command line of a process. Empty if the process has ended. */
export async function commandOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ").trim();
}

/**
 * Kills the processes that work in a directory. An engine that is killed leaves its plugins behind, and a bench its
 * engine.
 */
export async function endProcessesIn(directory: string): Promise<void> {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const place = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if (place.startsWith(`${directory}/`)) endPid(Number(pid));
  }
}

export function endPid(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended in the meantime.
  }
}
