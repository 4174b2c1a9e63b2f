import { readdir, readFile } from "node:fs/promises";

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
