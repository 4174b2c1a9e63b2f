import { setTimeout as sleep } from "node:timers/promises";
import type { SyncResult } from "../../core/sync/waitForSync.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { openHostReader } from "./hostReader.ts";
import type { StackWithHost } from "./openStack.ts";
import { getSyncStart, readStatus } from "./readStatus.ts";
import type { ReadStack } from "./stackView.ts";
import { formatFrame, renderWatch } from "./watchScreen.ts";

const bell = "\u0007";
const intervalMs = 10_000;

/** Shows a host live: until Ctrl-C, or, on an active host without `isKept`, until the sync gate would pass. */
export async function watch(source: StackWithHost, isKept: boolean): Promise<number> {
  const isEndless = isKept || source.config.lifecycle !== "active";
  // Without a terminal, only the end is printed.
  const { isTTY } = process.stdout;
  // Moves what stands on the screen into the terminal's history, because the status is written over it.
  if (isTTY) process.stdout.write("\n".repeat(process.stdout.rows ?? 0) + formatFrame(["reading …"]));
  const host = openHostReader(source);
  let since = getSyncStart(source);
  let proof: SyncResult | undefined;
  try {
    while (proof === undefined || isEndless) {
      const found = await readStatus(source, host, since);
      if (isTTY) show(found);
      ({ proof } = found);
      const observation = found.view.sync?.observation;
      if (observation?.kind === "answer")
        since = {
          startedAt: since?.startedAt ?? Date.now(),
          startHeight: since?.startHeight ?? observation.info.currentHeight,
          samples: found.view.sync?.samples,
        };
      if (proof === undefined || isEndless) await sleep(intervalMs);
    }
  } finally {
    host.close();
  }
  if (isTTY) console.log(bell);
  console.log(`synced at height ${proof.currentHeight}: ${proof.proved.join("; ")}`);
  console.log(`next: ${commandsFor(source.stack).up} (or the run that is active) shows the producer address`);
  return 0;
}

function show(found: ReadStack): void {
  const { columns = 80, rows = 24 } = process.stdout;
  const { LC_ALL, LC_CTYPE, LANG } = process.env;
  const isUtf8 = /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "");
  const lines = renderWatch(found, { columns, rows, now: Date.now(), isUtf8 });
  process.stdout.write(formatFrame(lines));
}
