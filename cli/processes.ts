import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { LockHolder } from "./lock";

/** What runs under a process id on this machine. */
export async function processSeen(pid: number): Promise<LockHolder> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return { kind: "nothing" };
  }
  const asked = promisify(execFile)("ps", ["-o", "stat=,etime=,comm=", "-p", String(pid)], {
    env: { ...process.env, LC_ALL: "C" },
  });
  return asked.then(
    ({ stdout }) => parseProcess(stdout, Date.now()),
    () => ({ kind: "something" }),
  );
}

/** Reads a line of `ps -o stat=,etime=,comm=` (pure). A process that waits for its parent only is gone. */
export function parseProcess(line: string, now: number): LockHolder {
  const [, stat = "", days, hours, minutes, seconds, command] =
    /^\s*(\S+)\s+(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)\s+(.+?)\s*$/.exec(line) ?? [];
  if (command === undefined) return { kind: "something" };
  if (stat.startsWith("Z")) return { kind: "nothing" };
  const age = ((Number(days ?? 0) * 24 + Number(hours ?? 0)) * 60 + Number(minutes)) * 60 + Number(seconds);
  return { kind: "process", name: command.split("/").at(-1) ?? command, startedAt: now - age * 1000 };
}
