import { setTimeout as sleep } from "node:timers/promises";
import type { SyncResult } from "../../core/sync/waitForSync.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { printableLines } from "../../core/util/printable.ts";
import { formatProblem } from "../../core/util/problem.ts";
import { openHostReader } from "./hostReader.ts";
import type { StackWithHost } from "./openStack.ts";
import { getSyncStart, readStatus } from "./readStatus.ts";
import type { ReadStack } from "./stackView.ts";
import { formatReport } from "./statusText.ts";

const bell = "\u0007";
const intervalMs = 10_000;

/** Shows a host live: until Ctrl-C, or, on an active host without `isKept`, until the sync gate would pass. */
export async function watch(source: StackWithHost, isKept: boolean): Promise<number> {
  const isEndless = isKept || source.config.lifecycle !== "active";
  // Without a terminal, only the end is printed.
  const { isTTY } = process.stdout;
  if (isTTY) console.log("reading …");
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
        since ??= { startedAt: Date.now(), startHeight: observation.info.currentHeight };
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

/** Clears the terminal and prints a status. */
function show({ view, problem }: ReadStack): void {
  console.clear();
  console.log(formatReport(view, process.stdout.columns));
  if (problem) console.log(`\n${printableLines(formatProblem(problem))}`);
}
