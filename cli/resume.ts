import { join } from "node:path";
import { formatHolder } from "../core/journey/runTexts.ts";
import type { LockStatus } from "../core/journey/stackFacts.ts";
import { commandsFor } from "../core/util/commands.ts";
import { ProblemError } from "../core/util/problem.ts";
import { resolveHomeDirectory } from "../core/util/resolvePath.ts";
import { providerNames } from "../core/util/resourceTypes.ts";
import { withLock } from "../core/util/withLock.ts";
import { parseLocks, readHolder } from "./pulumi/locks.ts";
import { createPulumi, formatPulumiError, type Pulumi } from "./pulumi/pulumiCommand.ts";
import { runUp, type UpOptions } from "./pulumi/stackFiles.ts";
import { shortenStackName } from "./pulumi/stackName.ts";
import { type PendingOperation, parseState } from "./pulumi/stackState.ts";
import { printAlarm } from "./status/readStatus.ts";

/** True if a cut-off creation of this type may be repeated, because it looks at the host before it acts. */
const isRepeatable = (type: string) => type === "command:remote:Command" || providerNames.has(type);

/**
 * Clears a killed run's lock and creations, then runs `pulumi up` in this terminal. If resume is killed, run it again.
 * Returns pulumi's exit code. @throws Refusal if it must not clear a lock or a creation
 */
export async function resume(
  stack: string,
  args: readonly string[],
  { lockIsStale = false, command }: Partial<UpOptions> & { readonly lockIsStale?: boolean },
): Promise<number> {
  const engine = createPulumi(stack);
  const home = process.env.PULUMI_HOME ?? join(resolveHomeDirectory(), ".pulumi");
  const scope = { stack: shortenStackName(stack), pillar: "", doing: "resume" } as const;
  // If two resumes run at once, the second must not clear the lock that the first one's `pulumi up` has just taken.
  return withLock(home, scope, async () => {
    console.log(`Reading ${stack} …`);
    await printAlarm(stack);
    await clearStale(stack, engine, lockIsStale, (line) => console.log(line));
    return runUp(stack, { up: true, command, isAlarmed: () => printAlarm(stack) }, args, engine);
  });
}

/** Clears stale locks and cut-off creations, without `pulumi up`. Can be repeated after an interruption. */
export async function clearStale(
  stack: string,
  engine: Pick<Pulumi, "run" | "read">,
  isStale: boolean,
  say: (line: string) => void,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { pending } = parseState(await engine.read(["stack", "export"]));
    const creations = pending.filter(({ operation }) => operation === "creating");
    const doubtful = creations.filter(({ type }) => !isRepeatable(type));
    const clear = creations.length > 0 && doubtful.length === 0 ? ["--clear-pending-creates"] : [];
    // A refresh needs the lock, so its error names the holders. It excludes all resources, to ask no host and no cloud.
    const refresh = ["refresh", "--yes", "--skip-preview", "--run-program=false", "--exclude", "**"];
    const { exitCode, stdout, stderr } = await engine.run([...refresh, ...clear]);
    if (exitCode === 0) {
      if (doubtful.length > 0) throw createPendingError(stack, doubtful);
      for (const { name, type } of creations) say(`cleared: the interrupted creation of ${name} (${type})`);
      return;
    }
    const locks = parseLocks(`${stderr}\n${stdout}`);
    if (locks === undefined || attempt === 3)
      throw new ProblemError({ what: formatPulumiError("refresh", stack, stderr || stdout) });
    say(clearLocks(stack, await Promise.all(locks.map(readHolder)), isStale));
    await engine.read(["cancel", "--yes"]);
  }
}

/** Returns the line that says why all locks are cleared. @throws Refusal if the run of one may be alive */
function clearLocks(stack: string, held: readonly LockStatus[], isStale: boolean): string {
  const run = commandsFor(stack);
  const who = held.map(({ lock }) => formatHolder(lock)).join("; ") || "a run that the backend does not name";
  const living = held.find(({ holder }) => holder === "lives");
  if (living !== undefined)
    throw new ProblemError({
      what: `${stack} is locked by a run that is still running: ${who}`,
      needed: `wait until that run has ended; to follow it: ${run.status("--watch")}`,
      next: `Or stop that run (Ctrl-C, twice if it waits for the sync; or: kill -INT ${living.lock.pid}), then: ${run.resume()}`,
    });
  if (isStale || (held.length > 0 && held.every(({ holder }) => holder === "gone")))
    return `cleared: the lock of ${who}, ${isStale ? "because of --lock-is-stale" : "which has ended"}`;
  throw new ProblemError({
    what: `${stack} is locked by ${who}; this machine can't check whether that run is still running`,
    needed: `wait until that run has ended. If you know that it has ended: ${run.resume("--lock-is-stale")}`,
    next: "If that run has not ended, two runs change one host, and the results of the first to end are lost.",
  });
}

function createPendingError(stack: string, doubtful: readonly PendingOperation[]): ProblemError {
  return new ProblemError({
    what: "the killed run was creating something that may exist, though the state lacks it: the creation stays pending",
    found: doubtful.map(({ name, type }) => `${name} (${type})`),
    needed: `look in your provider's console which of these exist, then: ${commandsFor(stack).refresh}`,
    next: [
      "That command asks about each thing: answer clear if it does not exist; else import, and give its id",
      `then: ${commandsFor(stack).resume()}`,
    ],
  });
}
