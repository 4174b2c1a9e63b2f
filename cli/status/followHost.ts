import type { NodeHostFacts } from "../../core/ssh/hostFacts";
import { isFatal } from "../../core/ssh/sshErrors";
import type { GateNews } from "../../core/sync/progress";
import { type SyncRecord, waitForSync } from "../../core/sync/waitForSync";
import { firstLine } from "../../core/util/firstLine";
import { CliRefusal } from "../terminal/refusal";
import { createGateOptions, openHostReader } from "./hostReader";
import { createView, type StackWithHost } from "./openStack";
import { readParts } from "./parts/readParts";
import type { StackView } from "./stackView";
import type { ViewTimes } from "./statusRows";

/** A stack as it is shown: when what was seen of it. */
export interface TimedView {
  readonly view: StackView;
  readonly times: Omit<ViewTimes, "now">;
}

export interface HostFollower {
  /** As it is known now. */
  current(): TimedView;
  /** The first proof that the node is synced. @throws Refusal for what trying again can't mend */
  readonly synced: Promise<SyncRecord>;
  stop(): void;
}

const factsEvery = 10_000;
/** Parts ask other hosts, too. */
const partsEvery = 30_000;
const again = 15_000;

/**
 * Looks at a stack's host again and again, over one connection.
 *
 * @param changed called when there is something new to show
 * @param say gets what the gate would tell
 * @param keeps goes on after the proof
 */
export async function followHost(
  source: StackWithHost,
  hostKey: string,
  { changed, say, keeps }: { changed(): void; say(news: GateNews): void; keeps: boolean },
): Promise<HostFollower> {
  const host = openHostReader(source, hostKey);
  const { deps, readFacts } = host;
  let view = await createView(source);
  let times: TimedView["times"] = {};
  let lastSeen: NodeHostFacts | undefined;
  let isOver = false;
  let isProved = false;
  const timers = new Set<NodeJS.Timeout>();
  const later = (look: () => Promise<void>, milliseconds: number) => {
    if (!isOver) timers.add(setTimeout(look, milliseconds));
  };
  const learn = (news: Partial<StackView>) => {
    if (isOver) return;
    view = { ...view, ...news };
    changed();
  };
  const lookAtFacts = async () => {
    const [facts, held] = await Promise.all([readFacts(), source.readLocks()]);
    const { unseen } = facts;
    if (unseen === undefined) {
      lastSeen = facts;
      times = { ...times, factsAt: Date.now() };
    }
    learn({ locks: held, facts: unseen === undefined || lastSeen === undefined ? facts : { ...lastSeen, unseen } });
    later(lookAtFacts, factsEvery);
  };
  const lookAtAll = async () => {
    learn({ parts: await readParts(source, hostKey, host) });
    later(lookAtAll, partsEvery);
  };
  void lookAtFacts();
  void lookAtAll();

  const proof = async (): Promise<SyncRecord> => {
    const record = await waitForSync(createGateOptions(source, false), {
      ...deps,
      sleep: (milliseconds) => {
        times = { ...times, nextLookAt: Date.now() + milliseconds };
        changed();
        return deps.sleep(milliseconds);
      },
      // That it still is what it was proved to be is no news.
      say: (news) => {
        if (!(isProved && news.kind === "progress" && news.progress.good)) say(news);
      },
      seen: (progress) => {
        times = { ...times, lookedAt: Date.now(), nextLookAt: undefined };
        // A node that was proved synced is so until a look finds it otherwise.
        learn({ sync: progress, synced: view.synced && progress.good });
      },
    });
    isProved = true;
    learn({ synced: true });
    return record;
  };
  const goOn = async (): Promise<void> => {
    while (keeps && !isOver) {
      await deps.sleep(again);
      await proof().catch((error: Error) => say({ kind: "told", text: firstLine(error.message) }));
    }
  };
  const synced = proof().catch((error: unknown) => {
    throw isFatal(error) ? new CliRefusal((error as Error).message) : error;
  });
  synced.then(goOn, () => undefined);
  return {
    current: () => ({ view, times }),
    synced,
    stop: () => {
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
      host.close();
    },
  };
}
