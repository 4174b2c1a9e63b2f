import { setTimeout as sleep } from "node:timers/promises";
import type { SyncProgress } from "../../core/sync/progress";
import type { SyncResult } from "../../core/sync/waitForSync";
import { commandsFor } from "../../core/util/commands";
import { formatDuration } from "../../core/util/timeText";
import { CliRefusal } from "../terminal/refusal";
import { type HostReader, openHostReader } from "./hostReader";
import { createView, type StackWithHost } from "./openStack";
import type { ReadStack, StackLookup } from "./overview";
import { followSync, readStatus } from "./readStatus";
import { createLineDisplay, createLiveScreen } from "./watchDisplay";

const interrupted = 130;
const bell = "\u0007";
const intervalMs = 10_000;

interface WatchedHost {
  readonly source: StackWithHost;
  readonly hostKey: string;
  readonly host: HostReader;
  readonly sync: ReturnType<typeof followSync>;
}

/** Shows hosts live: a single active stack until the gate would pass, anything else until Ctrl-C. */
export async function watch(sources: readonly StackWithHost[], { keep }: { keep: boolean }): Promise<number> {
  const keeps = keep || sources.some(({ config }) => config.lifecycle !== "active");
  const display = process.stdout.isTTY ? await createLiveScreen(process.stdout) : createLineDisplay(console.log);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      display.end();
      process.exit(interrupted);
    });
  }
  const latest = new Map<string, StackLookup>();
  const show = (found: readonly StackLookup[]) => {
    for (const one of found) latest.set(one.stack, one);
    display.show([...latest.values()]);
  };
  const watched = sources.flatMap((source) =>
    openWatchedHost(source, (sync) => {
      const one = latest.get(source.stack);
      // A proved sync holds until a lookup contradicts it.
      if (one && "view" in one) show([{ ...one, view: { ...one.view, sync, synced: one.view.synced && sync.good } }]);
    }),
  );
  let proved: ReadStack | undefined;
  try {
    show(await Promise.all(watched.map(createFirstView)));
    while (proved === undefined) {
      const found = await Promise.all(watched.map((one) => lookUp(one, watched.length === 1)));
      show(found);
      const [first] = found;
      if (!keeps && first && "proof" in first && first.proof) proved = first;
      else await Promise.race([sleep(intervalMs), ...(keeps ? [] : watched.map(({ sync }) => sync.proved))]);
    }
  } finally {
    for (const { host } of watched) host.close();
    display.end();
  }
  const [first] = watched;
  if (first && proved.proof) printProof(first.source, proved.proof);
  return 0;
}

function openWatchedHost(source: StackWithHost, seen: (sync: SyncProgress) => void): WatchedHost[] {
  const { address, hostKey } = source;
  if (hostKey === undefined) {
    console.error(`${address} can't be watched: the host key is neither configured nor recorded yet`);
    return [];
  }
  const host = openHostReader(source, hostKey);
  return [{ source, hostKey, host, sync: followSync(source, host, seen) }];
}

async function createFirstView({ source }: WatchedHost): Promise<ReadStack> {
  return { stack: source.stack, view: await createView(source), exitCode: 1, lines: [] };
}

/** @param isOnly a fatal problem ends the watch of a single stack; with several, the others continue */
async function lookUp({ source, hostKey, host, sync }: WatchedHost, isOnly: boolean): Promise<StackLookup> {
  try {
    return await readStatus(source, hostKey, host, sync.read);
  } catch (error) {
    if (isOnly || !(error instanceof CliRefusal)) throw error;
    return { stack: source.stack, refusal: error };
  }
}

function printProof({ stack, state }: StackWithHost, proof: SyncResult): void {
  const { syncedAt, startedAt, currentHeight, proved } = proof;
  const isFirst = state.wait !== undefined && state.wait.syncedAt === undefined;
  const after = isFirst ? ` after ${formatDuration(Date.parse(syncedAt) - Date.parse(startedAt))}` : "";
  if (process.stdout.isTTY) console.log(bell);
  console.log(`synced at height ${currentHeight}${after}: ${proved.join("; ")}`);
  console.log(`next: ${commandsFor(stack).up} (or the run that is active) shows the producer address`);
}
