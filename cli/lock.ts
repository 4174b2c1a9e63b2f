import { printable } from "../core/util/printable";

/** Who holds a stack, as a file or bucket backend tells it. */
export interface Lock {
  readonly user: string;
  readonly host: string;
  readonly pid: number;
  /** Unix milliseconds. */
  readonly since: number;
}

/** What runs under a process id on this machine now. */
export type LockHolder =
  | { readonly kind: "nothing" }
  | { readonly kind: "process"; readonly name: string; readonly startedAt: number }
  /** It is there, and nothing more can be told of it. */
  | { readonly kind: "something" };

/** Whether the run that holds a lock still lives. */
export type Holder = "lives" | "gone" | "unknown";

/** What pulumi says of a stack's locks; undefined where it says nothing of any. Nobody is named by Pulumi Cloud (pure). */
export function parseLocks(stderr: string): readonly Lock[] | undefined {
  if (/\[409\] Conflict|Another update is currently in progress/.test(stderr)) return [];
  if (!/the stack is currently locked by/.test(stderr)) return undefined;
  return [...stderr.matchAll(/created by (.+)@(\S+) \(pid (\d+)\) at (\S+)/g)].map(([, user, host, pid, at]) => ({
    user: user ?? "",
    host: host ?? "",
    pid: Number(pid),
    since: Date.parse(at ?? ""),
  }));
}

/** A lock as a file backend writes it; undefined where it is none (pure). */
export function parseLockFile(text: string): Lock | undefined {
  try {
    const { username, hostname, pid, timestamp } = JSON.parse(text) as Record<string, unknown>;
    if (typeof pid !== "number" || typeof hostname !== "string") return undefined;
    const since = Date.parse(String(timestamp));
    return { user: printable(String(username)), host: printable(hostname), pid, since };
  } catch {
    return undefined;
  }
}

/** Clocks that step, and times that are told in whole seconds. */
const slack = 5000;

/**
 * Whether the run that holds a lock lives (pure). A process id that belongs to something else by now was used again.
 * One that belongs to a pulumi of a later start most likely was too; but clocks step, so that is left to the operator.
 */
export function holderOf(lock: Lock, here: string, seen: LockHolder): Holder {
  if (lock.host !== here) return "unknown";
  if (seen.kind === "nothing") return "gone";
  if (seen.kind === "something") return "unknown";
  if (!/pulumi/i.test(seen.name)) return "gone";
  return seen.startedAt > lock.since + slack ? "unknown" : "lives";
}
