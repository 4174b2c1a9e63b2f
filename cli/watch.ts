import { spoken } from "../providers/gate/progress";
import { waitForSync } from "../providers/gate/waitForSync";
import { isFatal } from "../providers/rpc/ssh";
import { gateOptions, openHost } from "./hostLook";
import { liveScreen } from "./liveScreen";
import { plainLines } from "./plainLines";
import { Refusal } from "./refusal";
import type { Times } from "./rows";
import { type Source, viewOf } from "./source";
import type { View } from "./view";

/** Where a watch is shown: a terminal, or a file. */
export interface Display {
  /** Gets the whole view every second, and when it changed. */
  show(view: View, times: Times): void;
  /** Something happened that the gate would tell. */
  say(line: string): void;
  /** Leaves the terminal as it was, what was shown last in it. */
  end(): void;
}

const factsEvery = 10_000;
const interrupted = 130;
const bell = "\u0007";

/** Shows a host until the gate would let it pass. @returns 0 then, 130 after Ctrl-C. @throws Refusal */
export async function watch(source: Source, hostKey: string): Promise<number> {
  const { state } = source;
  const { world, readFacts } = openHost(source, hostKey);
  const display = process.stdout.isTTY ? await liveScreen(process.stdout) : plainLines(console.log);
  let view = await viewOf(source);
  let times: Omit<Times, "now"> = {};
  let lastSeen: readonly string[] = [];
  let isOver = false;
  const show = () => {
    if (!isOver) display.show(view, { ...times, now: Date.now() });
  };
  const stop = () => {
    isOver = true;
    clearInterval(everySecond);
    clearTimeout(nextFacts);
    world.client.close();
    display.end();
  };
  const everySecond = setInterval(show, 1000);
  let nextFacts: NodeJS.Timeout | undefined;
  const lookAtFacts = async () => {
    const [facts, held] = await Promise.all([readFacts(), source.readHeld()]);
    if (isOver) return;
    const isSeen = !facts.some((fact) => fact.startsWith("the host can't be looked at"));
    if (isSeen) {
      lastSeen = facts;
      times = { ...times, factsAt: Date.now() };
    }
    view = { ...view, held, facts: isSeen ? facts : [...facts, ...lastSeen] };
    show();
    nextFacts = setTimeout(lookAtFacts, factsEvery);
  };
  show();
  void lookAtFacts();

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      stop();
      process.exit(interrupted);
    });
  }

  try {
    const record = await waitForSync(gateOptions(source, false), {
      ...world,
      sleep: (milliseconds) => {
        times = { ...times, nextLookAt: Date.now() + milliseconds };
        show();
        return world.sleep(milliseconds);
      },
      say: (line) => display.say(line),
      seen: (line) => {
        view = { ...view, sync: line };
        times = { ...times, lookedAt: Date.now(), nextLookAt: undefined };
      },
      isWanted: () => true,
    });
    view = { ...view, synced: true };
    show();
    stop();
    const isFirst = state.wait !== undefined && state.wait.syncedAt === undefined;
    const after = isFirst ? ` after ${spoken(record.syncedAt - record.startedAt)}` : "";
    if (process.stdout.isTTY) console.log(bell);
    console.log(`synced at height ${record.currentHeight}${after}: ${record.proved.join("; ")}`);
    console.log(`next: pulumi up -s ${source.stack} (or the one that is at work) shows the producer address`);
    return 0;
  } catch (error) {
    stop();
    throw isFatal(error) ? new Refusal((error as Error).message) : error;
  }
}
