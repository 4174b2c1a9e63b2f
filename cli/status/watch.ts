import type { GateMessage } from "../../core/sync/progress";
import { commandsFor } from "../../core/util/commands";
import { takeFirstLine } from "../../core/util/firstLine";
import { formatDuration } from "../../core/util/timeText";
import { followHost, type HostFollower } from "./followHost";
import { createLiveScreen } from "./liveScreen";
import type { StackWithHost } from "./openStack";
import { createLineDisplay } from "./plainLines";
import type { Display } from "./stackView";

const interrupted = 130;
const bell = "\u0007";

/** Shows hosts live: a single active stack until the gate would pass, anything else until Ctrl-C. */
export async function watch(sources: readonly StackWithHost[], { keep }: { keep: boolean }): Promise<number> {
  const keeps = keep || sources.some(({ config }) => config.lifecycle !== "active");
  const display = process.stdout.isTTY ? await createLiveScreen(process.stdout) : createLineDisplay(console.log);
  const followed: HostFollower[] = [];
  let isOver = false;
  const show = () => {
    if (!isOver) display.show(followed.map((one) => one.current()));
  };
  const timer = setInterval(show, 1000);
  const stop = () => {
    isOver = true;
    clearInterval(timer);
    for (const one of followed) one.stop();
    display.end();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      stop();
      process.exit(interrupted);
    });
  }

  try {
    for (const source of sources) {
      const { stack, hostKey } = source;
      if (hostKey === undefined) {
        const text = `${source.address} can't be watched: the host key is neither configured nor recorded yet`;
        display.say({ kind: "watch", text }, stack);
        continue;
      }
      const say = (news: GateMessage) => display.say(news, sources.length > 1 ? stack : undefined);
      followed.push(await followHost(source, hostKey, { changed: show, say, keeps }));
    }
    show();
    const [first] = followed;
    const [source] = sources;
    if (keeps || first === undefined || source === undefined) {
      // A fatal problem ends the watch of a single stack; with several, the others continue.
      const failures = followed.map((one) => one.synced.then(() => new Promise<never>(() => undefined)));
      await (followed.length === 1 ? failures[0] : forever(failures, display, sources));
      return interrupted;
    }
    const { syncedAt, startedAt, currentHeight, proved } = await first.synced;
    show();
    stop();
    const { wait } = source.state;
    const isFirst = wait !== undefined && wait.syncedAt === undefined;
    const after = isFirst ? ` after ${formatDuration(Date.parse(syncedAt) - Date.parse(startedAt))}` : "";
    if (process.stdout.isTTY) console.log(bell);
    console.log(`synced at height ${currentHeight}${after}: ${proved.join("; ")}`);
    console.log(`next: ${commandsFor(source.stack).up} (or the run that is active) shows the producer address`);
    return 0;
  } catch (error) {
    stop();
    throw error;
  }
}

function forever(
  failures: readonly Promise<never>[],
  display: Display,
  sources: readonly StackWithHost[],
): Promise<never> {
  failures.forEach((failure, i) => {
    failure.catch((error: Error) =>
      display.say({ kind: "watch", text: takeFirstLine(error.message) }, sources[i]?.stack),
    );
  });
  return new Promise(() => undefined);
}
