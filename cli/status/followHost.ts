import { setTimeout as sleep } from "node:timers/promises";
import type { NodeHostFacts } from "../../core/ssh/hostFacts";
import { isFatal } from "../../core/ssh/sshErrors";
import type { GateMessage } from "../../core/sync/progress";
import { type SyncResult, waitForSync } from "../../core/sync/waitForSync";
import { takeFirstLine } from "../../core/util/firstLine";
import { CliRefusal } from "../terminal/refusal";
import { createGateOptions, type HostReader, openHostReader } from "./hostReader";
import { createView, type StackWithHost } from "./openStack";
import { readParts } from "./parts/readParts";
import type { StackView, TimedView, ViewTimes } from "./stackView";

export interface HostFollower {
  current(): TimedView;
  /** The first proof that the node is synced. @throws CliRefusal for a problem that a retry does not solve */
  readonly synced: Promise<SyncResult>;
  stop(): void;
}

const factsIntervalMs = 10_000;
/** Longer than for facts, because parts ask other hosts, too. */
export const partsIntervalMs = 30_000;
const syncRetryMs = 15_000;

interface FollowOptions {
  changed(): void;
  say(news: GateMessage): void;
  /** True if the lookups continue after the proof of the sync. */
  readonly keeps: boolean;
}

type UpdateView = (changes: Partial<StackView>, times?: ViewTimes) => void;

/** Reads a stack's host again and again, over one connection. */
export async function followHost(
  stack: StackWithHost,
  hostKey: string,
  { changed, say, keeps }: FollowOptions,
): Promise<HostFollower> {
  const host = openHostReader(stack, hostKey);
  const end = new AbortController();
  let current: TimedView = { view: await createView(stack), times: {} };
  const update: UpdateView = (changes, times = {}) => {
    if (end.signal.aborted) return;
    current = { view: { ...current.view, ...changes }, times: { ...current.times, ...times } };
    changed();
  };
  repeatFacts(stack, host, update, end.signal);
  repeat(async () => update({ parts: await readParts(stack, hostKey, host) }), partsIntervalMs, end.signal);
  let isProved = false;
  const proveSync = async (): Promise<SyncResult> => {
    const record = await waitForSync(createGateOptions(stack, "block"), {
      ...host.deps,
      sleep: (milliseconds) => {
        update({}, { nextLookAt: Date.now() + milliseconds });
        return host.deps.sleep(milliseconds);
      },
      // After the first proof of the sync, a good lookup prints no line.
      say: (news) => {
        if (!(isProved && news.kind === "progress" && news.progress.good)) say(news);
      },
      seen: (progress) => {
        // A proved sync holds until a lookup contradicts it.
        const synced = current.view.synced && progress.good;
        update({ sync: progress, synced }, { lookedAt: Date.now(), nextLookAt: undefined });
      },
    });
    isProved = true;
    update({ synced: true });
    return record;
  };
  const proveAgain = async (): Promise<void> => {
    while (keeps && !end.signal.aborted) {
      await host.deps.sleep(syncRetryMs);
      await proveSync().catch((error: Error) => say({ kind: "told", text: takeFirstLine(error.message) }));
    }
  };
  const synced = proveSync().catch((error: unknown) => {
    throw isFatal(error) ? new CliRefusal((error as Error).message) : error;
  });
  synced.then(proveAgain, () => undefined);
  return {
    current: () => current,
    synced,
    stop: () => {
      end.abort();
      host.close();
    },
  };
}

async function repeat(lookup: () => Promise<void>, intervalMs: number, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    await lookup();
    await sleep(intervalMs, undefined, { signal: end }).catch(() => undefined);
  }
}

function repeatFacts(stack: StackWithHost, host: HostReader, update: UpdateView, end: AbortSignal): void {
  let lastFacts: NodeHostFacts | undefined;
  const updateFacts = async () => {
    const [facts, locks] = await Promise.all([host.readFacts(), stack.readLocks()]);
    const { unseen } = facts;
    if (unseen === undefined) lastFacts = facts;
    update(
      { locks, facts: unseen === undefined || lastFacts === undefined ? facts : { ...lastFacts, unseen } },
      unseen === undefined ? { factsAt: Date.now() } : {},
    );
  };
  repeat(updateFacts, factsIntervalMs, end);
}
