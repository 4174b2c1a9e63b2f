import type { NodeHostFacts } from "../../core/ssh/hostFacts";
import { isFatal } from "../../core/ssh/sshErrors";
import type { GateNews } from "../../core/sync/progress";
import { type SyncRecord, waitForSync } from "../../core/sync/waitForSync";
import { firstLine } from "../../core/util/firstLine";
import { CliRefusal } from "../terminal/refusal";
import { gateOptions, openHost } from "./hostReader";
import { type Source, viewOf } from "./openStack";
import { lookAtParts } from "./parts/readParts";
import type { View } from "./stackView";
import type { Times } from "./statusRows";

/** A stack as it is shown: when what was seen of it. */
export interface Shown {
  readonly view: View;
  readonly times: Omit<Times, "now">;
}

export interface Following {
  /** As it is known now. */
  shown(): Shown;
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
export async function followSync(
  source: Source,
  hostKey: string,
  { changed, say, keeps }: { changed(): void; say(news: GateNews): void; keeps: boolean },
): Promise<Following> {
  const host = openHost(source, hostKey);
  const { deps, readFacts } = host;
  let view = await viewOf(source);
  let times: Shown["times"] = {};
  let lastSeen: NodeHostFacts | undefined;
  let isOver = false;
  let isProved = false;
  const timers = new Set<NodeJS.Timeout>();
  const later = (look: () => Promise<void>, milliseconds: number) => {
    if (!isOver) timers.add(setTimeout(look, milliseconds));
  };
  const learn = (news: Partial<View>) => {
    if (isOver) return;
    view = { ...view, ...news };
    changed();
  };
  const lookAtFacts = async () => {
    const [facts, held] = await Promise.all([readFacts(), source.readHeld()]);
    const { unseen } = facts;
    if (unseen === undefined) {
      lastSeen = facts;
      times = { ...times, factsAt: Date.now() };
    }
    learn({ held, facts: unseen === undefined || lastSeen === undefined ? facts : { ...lastSeen, unseen } });
    later(lookAtFacts, factsEvery);
  };
  const lookAtAll = async () => {
    learn({ parts: await lookAtParts(source, hostKey, host) });
    later(lookAtAll, partsEvery);
  };
  void lookAtFacts();
  void lookAtAll();

  const proof = async (): Promise<SyncRecord> => {
    const record = await waitForSync(gateOptions(source, false), {
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
    shown: () => ({ view, times }),
    synced,
    stop: () => {
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
      host.close();
    },
  };
}
