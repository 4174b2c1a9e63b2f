import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Lock, LockStatus } from "../../core/journey/stackFacts.ts";
import { parseJson } from "../../core/util/parseJson.ts";
import { printable } from "../../core/util/printable.ts";
import { resolveHomeDirectory } from "../../core/util/resolvePath.ts";
import { shortenStackName } from "./stackName.ts";

/** Parses the locks in a pulumi error; an empty list for Pulumi Cloud, which names none; undefined for other errors. */
export function parseLocks(stderr: string): readonly Lock[] | undefined {
  if (/\[409\] Conflict|Another update is currently in progress/.test(stderr)) return [];
  if (!/the stack is currently locked by/.test(stderr)) return undefined;
  return [...stderr.matchAll(/created by (.+)@(\S+) \(pid (\d+)\) at (\S+)/g)].map(
    ([, user = "", host = "", pid, at = ""]) => ({ user, host, pid: Number(pid), since: Date.parse(at) }),
  );
}

/** Checks whether a lock's run is alive. If another program has the run's process id, the run is gone. */
export async function readHolder(lock: Lock): Promise<LockStatus> {
  // Machines may share a host name. A process of another user there is seldom this one's.
  if (lock.host !== hostname() || lock.user !== userInfo().username) return { lock, holder: "unknown" };
  const asked = promisify(execFile)("ps", ["-o", "stat=,comm=", "-p", String(lock.pid)]);
  const found = await asked.then(
    ({ stdout }) => stdout.trim(),
    // Exit code 1: there is no such process.
    ({ code }: { code?: unknown }) => (code === 1 ? "" : undefined),
  );
  if (found === undefined) return { lock, holder: "unknown" };
  const isPulumi = !found.startsWith("Z") && /pulumi/i.test(found);
  return { lock, holder: isPulumi ? "lives" : "gone" };
}

export function findBackendDirectory(url: string): string | undefined {
  const path = /^file:\/\/([^?]*)/.exec(url)?.[1];
  return path === undefined ? undefined : resolve(path.replace(/^~/, resolveHomeDirectory));
}

/** Reads who holds a stack's lock, without locking; undefined if the backend is no directory on this machine. */
export async function readLocks(
  url: string,
  project: string,
  stack: string,
): Promise<readonly LockStatus[] | undefined> {
  const directory = findBackendDirectory(url);
  if (directory === undefined) return undefined;
  const own = join(directory, ".pulumi", "locks", "organization", project, shortenStackName(stack));
  const files = (await readdir(own).catch(() => [])).filter((name) => name.endsWith(".json"));
  const texts = await Promise.all(files.map((name) => readFile(join(own, name), "utf8").catch(() => "")));
  return Promise.all(texts.flatMap(parseLockFile).map(readHolder));
}

function parseLockFile(text: string): Lock[] {
  const { username, hostname: host, pid, timestamp } = (parseJson(text) ?? {}) as Record<string, unknown>;
  if (typeof pid !== "number" || typeof host !== "string") return [];
  return [{ user: printable(String(username)), host: printable(host), pid, since: Date.parse(String(timestamp)) }];
}
