import type { NodeHostFacts } from "../../core/ssh/hostFacts";
import { isFatal } from "../../core/ssh/sshErrors";
import type { GateNews } from "../../core/sync/progress";
import { type SyncRecord, waitForSync } from "../../core/sync/waitForSync";
import { firstLine } from "../../core/util/firstLine";
import { CliRefusal } from "../terminal/refusal";
import { createGateOptions, type HostReader, openHostReader } from "./hostReader";
import { createView, type StackWithHost } from "./openStack";
import { readParts } from "./parts/readParts";
import type { StackView, TimedView } from "./stackView";

export interface HostFollower {
  current(): TimedView;
  /** The first proof that the node is synced. @throws CliRefusal for a problem that a retry does not solve */
  readonly synced: Promise<SyncRecord>;
  stop(): void;
}

const factsIntervalMs = 10_000;
/** Longer than for facts, because parts ask other hosts, too. */
const partsIntervalMs = 30_000;
const syncRetryMs = 15_000;

interface FollowOptions {
  changed(): void;
  say(news: GateNews): void;
  /** True if the lookups continue after the proof of the sync. */
  readonly keeps: boolean;
}

/** Reads a stack's host again and again, over one connection. */
export async function followHost(
  stack: StackWithHost,
  hostKey: string,
  { changed, say, keeps }: FollowOptions,
): Promise<HostFollower> {
  const host = openHostReader(stack, hostKey);
  const shown = createTimedView(await createView(stack), changed);
  repeatLookups(shown, stack, hostKey, host);
  let isProved = false;
  const proveSync = async (): Promise<SyncRecord> => {
    const record = await waitForSync(createGateOptions(stack, false), {
      ...host.deps,
      sleep: (milliseconds) => {
        shown.setTimes({ nextLookAt: Date.now() + milliseconds });
        changed();
        return host.deps.sleep(milliseconds);
      },
      // After the first proof of the sync, a good lookup prints no line.
      say: (news) => {
        if (!(isProved && news.kind === "progress" && news.progress.good)) say(news);
      },
      seen: (progress) => {
        shown.setTimes({ lookedAt: Date.now(), nextLookAt: undefined });
        // A proved sync holds until a lookup contradicts it.
        shown.update({ sync: progress, synced: shown.current().view.synced && progress.good });
      },
    });
    isProved = true;
    shown.update({ synced: true });
    return record;
  };
  const proveAgain = async (): Promise<void> => {
    while (keeps && !shown.isOver()) {
      await host.deps.sleep(syncRetryMs);
      await proveSync().catch((error: Error) => say({ kind: "told", text: firstLine(error.message) }));
    }
  };
  const synced = proveSync().catch((error: unknown) => {
    throw isFatal(error) ? new CliRefusal((error as Error).message) : error;
  });
  synced.then(proveAgain, () => undefined);
  return {
    current: shown.current,
    synced,
    stop: () => {
      shown.end();
      host.close();
    },
  };
}

/** Keeps the newest view of a stack, and the timers of the lookups that update it, until it is ended. */
function createTimedView(view: StackView, changed: () => void) {
  let current: TimedView = { view, times: {} };
  let isOver = false;
  const timers = new Set<NodeJS.Timeout>();
  return {
    current: () => current,
    isOver: () => isOver,
    setTimes: (times: TimedView["times"]) => {
      current = { ...current, times: { ...current.times, ...times } };
    },
    update: (changes: Partial<StackView>) => {
      if (isOver) return;
      current = { ...current, view: { ...current.view, ...changes } };
      changed();
    },
    later: (lookup: () => Promise<void>, delayMs: number) => {
      if (!isOver) timers.add(setTimeout(lookup, delayMs));
    },
    end: () => {
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function repeatLookups(
  shown: ReturnType<typeof createTimedView>,
  stack: StackWithHost,
  hostKey: string,
  host: HostReader,
): void {
  let lastFacts: NodeHostFacts | undefined;
  const updateFacts = async () => {
    const [facts, locks] = await Promise.all([host.readFacts(), stack.readLocks()]);
    const { unseen } = facts;
    if (unseen === undefined) {
      lastFacts = facts;
      shown.setTimes({ factsAt: Date.now() });
    }
    shown.update({ locks, facts: unseen === undefined || lastFacts === undefined ? facts : { ...lastFacts, unseen } });
    shown.later(updateFacts, factsIntervalMs);
  };
  const updateParts = async () => {
    shown.update({ parts: await readParts(stack, hostKey, host) });
    shown.later(updateParts, partsIntervalMs);
  };
  void updateFacts();
  void updateParts();
}
