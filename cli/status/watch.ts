import { setTimeout as sleep } from "node:timers/promises";
import type { SyncResult } from "../../core/sync/waitForSync";
import { commandsFor } from "../../core/util/commands";
import { formatDuration } from "../../core/util/timeText";
import { openHostReader } from "./hostReader";
import { createLiveScreen } from "./liveScreen";
import { createView, type StackWithHost } from "./openStack";
import type { ReadStack } from "./overview";
import { followSync, readStatus } from "./readStatus";

const interrupted = 130;
const bell = "\u0007";
const intervalMs = 10_000;

/** Shows a host live: until Ctrl-C, or, on an active host without `isKept`, until the sync gate would pass. */
export async function watch(source: StackWithHost, hostKey: string, isKept: boolean): Promise<number> {
  const isEndless = isKept || source.config.lifecycle !== "active";
  // Without a terminal, only the end is printed.
  const screen = process.stdout.isTTY ? await createLiveScreen(process.stdout) : undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      screen?.end();
      process.exit(interrupted);
    });
  }
  let latest: ReadStack = { stack: source.stack, view: await createView(source), exitCode: 1, lines: [] };
  const show = (found: ReadStack) => {
    latest = found;
    screen?.show(found);
  };
  show(latest);
  const host = openHostReader(source, hostKey);
  const sync = followSync(source, host, (progress) => {
    const { view } = latest;
    // A proved sync holds until a lookup contradicts it.
    show({ ...latest, view: { ...view, sync: progress, synced: view.synced && progress.good } });
  });
  let proof: SyncResult | undefined;
  try {
    while (proof === undefined) {
      const found = await readStatus(source, hostKey, host, sync.read);
      show(found);
      if (!isEndless) proof = found.proof;
      if (proof === undefined) await Promise.race([sleep(intervalMs), ...(isEndless ? [] : [sync.proved])]);
    }
  } finally {
    host.close();
    screen?.end();
  }
  printProof(source, proof);
  return 0;
}

function printProof({ stack, state }: StackWithHost, proof: SyncResult): void {
  const { syncedAt, startedAt, currentHeight, proved } = proof;
  const isFirst = state.wait !== undefined && state.wait.syncedAt === undefined;
  const after = isFirst ? ` after ${formatDuration(Date.parse(syncedAt) - Date.parse(startedAt))}` : "";
  if (process.stdout.isTTY) console.log(bell);
  console.log(`synced at height ${currentHeight}${after}: ${proved.join("; ")}`);
  console.log(`next: ${commandsFor(stack).up} (or the run that is active) shows the producer address`);
}
