import { setTimeout as sleep } from "node:timers/promises";
import type { SyncResult } from "../../core/sync/waitForSync";
import { commandsFor } from "../../core/util/commands";
import { printableLines } from "../../core/util/printable";
import { openHostReader } from "./hostReader";
import type { StackWithHost } from "./openStack";
import { getSyncStart, readStatus } from "./readStatus";
import { cropLines } from "./screenLayout";
import type { ReadStack } from "./stackView";
import { formatReport } from "./statusText";

const interrupted = 130;
const bell = "\u0007";
const intervalMs = 10_000;

/** Shows a host live: until Ctrl-C, or, on an active host without `isKept`, until the sync gate would pass. */
export async function watch(source: StackWithHost, hostKey: string, isKept: boolean): Promise<number> {
  const isEndless = isKept || source.config.lifecycle !== "active";
  // Without a terminal, only the end is printed.
  const screen = process.stdout.isTTY ? openScreen(process.stdout) : undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      screen?.close();
      process.exit(interrupted);
    });
  }
  const host = openHostReader(source, hostKey);
  let since = getSyncStart(source);
  let proof: SyncResult | undefined;
  try {
    while (proof === undefined || isEndless) {
      const found = await readStatus(source, host, since);
      screen?.show(found);
      ({ proof } = found);
      const observation = found.view.sync?.observation;
      if (observation?.kind === "answer")
        since ??= { startedAt: Date.now(), startHeight: observation.info.currentHeight };
      if (proof === undefined || isEndless) await sleep(intervalMs);
    }
  } finally {
    host.close();
    screen?.close();
  }
  if (screen) console.log(bell);
  console.log(`synced at height ${proof.currentHeight}: ${proof.proved.join("; ")}`);
  console.log(`next: ${commandsFor(source.stack).up} (or the run that is active) shows the producer address`);
  return 0;
}

/** Shows status after status in the terminal's other screen; at the end, the last one whole in the usual screen. */
function openScreen(stdout: NodeJS.WriteStream) {
  let last = "";
  stdout.write("\u001b[?1049h\u001b[?25lreading …");
  return {
    show: ({ view, lines }: ReadStack) => {
      const size = { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
      last = [formatReport(view, size.columns), ...lines.map(printableLines)].join("\n");
      stdout.write(`\u001b[2J\u001b[H${cropLines(last.split("\n"), size).join("\n")}`);
    },
    close: () => stdout.write(`\u001b[?1049l\u001b[?25h${last}\n`),
  };
}
