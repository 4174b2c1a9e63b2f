import { commandsFor } from "../core/util/commands";
import type { Engine } from "./engine";
import { engineFault } from "./engineErrors";
import { holderOf, type Lock, type LockHolder, parseLocks } from "./lock";
import { decideLocks } from "./lockTexts";
import { sortPending } from "./pending";
import { CliRefusal } from "./refusal";
import { type Pending, parseState } from "./stackState";

/** What it is done with. */
export interface Means {
  /** The operator says that a run of which nothing can be told is gone. */
  readonly lockIsStale: boolean;
  /** This machine's name. */
  readonly here: string;
  processSeen(pid: number): Promise<LockHolder>;
  say(line: string): void;
}

const tries = 3;

/**
 * Clears what a killed run left in a stack, and only that. Each step is whole in itself: ended anywhere, it is simply
 * begun again.
 *
 * @returns whether there was anything to clear
 * @throws Refusal where a lock or a creation is not its to clear
 */
export async function clearStale(stack: string, engine: Pick<Engine, "run" | "read">, means: Means): Promise<boolean> {
  let cleared = false;
  for (let attempt = 1; ; attempt += 1) {
    const { again, doubtful } = sortPending(parseState(await engine.read(["stack", "export"])).pending);
    const clearing = again.length > 0 && doubtful.length === 0;
    // Takes the lock, so it tells of others; without a resource to look at, it asks no host and no cloud.
    const refresh = ["refresh", "--yes", "--skip-preview", "--run-program=false", "--exclude", "**"];
    const { exitCode, stdout, stderr } = await engine.run([
      ...refresh,
      ...(clearing ? ["--clear-pending-creates"] : []),
    ]);
    const locks = exitCode === 0 ? undefined : parseLocks(`${stderr}\n${stdout}`);
    if (exitCode === 0) {
      if (doubtful.length > 0) throw new CliRefusal(doubtfulText(stack, doubtful));
      for (const { name, type } of again)
        means.say(`cut off: the creation of ${name} (${type}), which is safe to run again: cleared.`);
      return cleared || clearing;
    }
    if (locks === undefined || attempt === tries) throw new CliRefusal(engineFault("refresh", stack, stderr || stdout));
    await clearLocks(stack, engine, locks, means);
    cleared = true;
  }
}

async function clearLocks(
  stack: string,
  engine: Pick<Engine, "read">,
  locks: readonly Lock[],
  means: Means,
): Promise<void> {
  const { here, lockIsStale } = means;
  const held = await Promise.all(
    locks.map(async (lock) => ({ lock, holder: holderOf(lock, here, await means.processSeen(lock.pid)) })),
  );
  const { clear: mayClear, text } = decideLocks(stack, held, here, lockIsStale);
  if (!mayClear) throw new CliRefusal(text);
  await engine.read(["cancel", "--yes"]);
  means.say(text);
}

/** What the operator is told of creations that nobody but they can judge (pure). */
export function doubtfulText(stack: string, doubtful: readonly Pending[]): string {
  const list = doubtful.map(({ name, type }) => `  - ${name} (${type})`).join("\n");
  return `the run was killed while it created something that may be there now, without being recorded:
${list}
Nothing was cleared, and no run was begun: it would make it a second time. Look at your provider's console, then
answer for each of them what this command asks (clear: it is not there; import: it is, and this is its id):
  ${commandsFor(stack).refresh}
  then: ${commandsFor(stack).resume()}`;
}
