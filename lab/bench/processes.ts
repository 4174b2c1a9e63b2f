import { endPid, treeOf } from "../hosts/processTree";

/** Kills all processes that this one has started, the oldest first, so that none is restarted meanwhile. */
export async function endChildren(): Promise<void> {
  for (const pid of await treeOf(process.pid)) if (pid !== process.pid) endPid(pid);
}
