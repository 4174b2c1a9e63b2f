import { formatRegistration, formatRegistrationKey } from "../../core/registration/registrationMessages";
import { formatProgress } from "../../core/sync/syncMessages";
import { printable, printableLines } from "../../core/util/printable";
import { decideStage } from "./hostStage";
import type { StackLookup } from "./overview";
import { getValue } from "./parts/statusParts";
import { cropLines, formatReport } from "./screenLayout";
import { formatTitle } from "./stackView";
import { formatStatus } from "./statusRows";

interface Display {
  /** Shows all stacks. */
  show(found: readonly StackLookup[]): void;
  /** Releases the terminal, and leaves the last view in it. */
  end(): void;
}

export async function createLiveScreen(stdout: NodeJS.WriteStream): Promise<Display> {
  const { createLogUpdate } = await import("log-update");
  const draw = createLogUpdate(stdout);
  let found: readonly StackLookup[] = [];
  const redraw = () => {
    const size = { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
    draw(cropLines(formatScreen(found, size.columns), size).join("\n"));
  };
  // The terminal has wrapped the old lines differently, so they can't be erased one by one.
  const resized = () => {
    stdout.write("\u001b[2J\u001b[H");
    draw.done();
    redraw();
  };
  stdout.on("resize", resized);
  return {
    show: (lookups) => {
      found = lookups;
      redraw();
    },
    end: () => {
      stdout.off("resize", resized);
      draw.done();
    },
  };
}

/** Formats the screen of a watch. The log has room only for a single stack. */
export function formatScreen(found: readonly StackLookup[], columns: number): string[] {
  const reports = found.map((one) => {
    if ("refusal" in one) return printableLines(one.refusal.message);
    const rows = formatStatus(one.view);
    const shown = found.length > 1 ? { ...rows, log: [] } : rows;
    return [formatReport(shown, columns), ...one.lines.map(printableLines)].join("\n");
  });
  return reports.join("\n\n").split("\n");
}

/** A line that is printed when its key changes. */
type Topic = readonly [topic: string, line: string, key?: string];

/** Creates a display for a file or pipe: it prints a line with its time for each change. */
export function createLineDisplay(print: (line: string) => void): Display {
  const printed = new Map<string, string>();
  return {
    show: (found) => {
      for (const one of found) {
        const prefix = found.length > 1 ? `[${one.stack}] ` : "";
        for (const [topic, line, key = line] of listTopics(one)) {
          const place = `${one.stack} ${topic}`;
          if (printed.get(place) !== key)
            print(`${new Date().toISOString().slice(0, 19)}Z ${prefix}${printable(line)}`);
          printed.set(place, key);
        }
      }
    },
    end: () => undefined,
  };
}

/** Lists the topics of a lookup, without those that change all the time, such as the height. */
export function listTopics(found: StackLookup): Topic[] {
  if ("refusal" in found) return [["problem", found.refusal.message]];
  const { view, lines } = found;
  const { pillar, sync, facts, parts } = view;
  const { stage, next } = decideStage(view);
  const registration = getValue(parts?.registration);
  const orchestrator = getValue(parts?.orchestrator);
  const unmet = getValue(parts?.destroy);
  const topics: (Topic | undefined)[] = [
    ["title", formatTitle(view)],
    ["problem", lines.join(" ").trim()],
    // Without facts about the host, the stage is a guess.
    facts && ["stage", `stage: ${stage}; next: ${next}`],
    sync && ["sync", `sync: ${formatProgress(sync)}`, sync.why.kind],
    registration && [
      "address",
      `address: ${formatRegistration(registration, pillar, Date.now())}`,
      formatRegistrationKey(registration),
    ],
    orchestrator && ["orchestrator", `orchestrator: ${orchestrator.text}`, orchestrator.kind],
    unmet && ["destroy", `destroy: ${unmet.map(({ what }) => what).join("; ") || "allowed: all conditions are met"}`],
  ];
  return topics.filter((topic) => topic !== undefined && topic[1] !== "") as Topic[];
}
