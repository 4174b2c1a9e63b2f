import { readdir, readFile, readlink } from "node:fs/promises";

/** A process and all that descend from it. */
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

/** The command line of a process; empty where it is gone. */
export async function commandOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ").trim();
}

/** Kills what works in a directory: an engine that is ended leaves its plugins behind, and an ended bench its engine. */
export async function endProcessesIn(directory: string): Promise<void> {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const place = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if (place.startsWith(`${directory}/`)) endPid(Number(pid));
  }
}

/** Kills a process; none is as good. */
export function endPid(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended meanwhile.
  }
}
