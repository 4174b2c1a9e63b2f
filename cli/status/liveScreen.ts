import { printableLines } from "../../core/util/printable";
import type { ReadStack } from "./overview";
import { cropLines, formatReport } from "./screenLayout";
import { formatStatus } from "./statusRows";

interface LiveScreen {
  show(found: ReadStack): void;
  /** Releases the terminal, and leaves the last view in it. */
  end(): void;
}

export async function createLiveScreen(stdout: NodeJS.WriteStream): Promise<LiveScreen> {
  const { createLogUpdate } = await import("log-update");
  const draw = createLogUpdate(stdout);
  let found: ReadStack | undefined;
  const redraw = () => {
    if (found === undefined) return;
    const size = { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
    draw(cropLines(formatScreen(found, size.columns), size).join("\n"));
  };
  // Clears the screen: the terminal has wrapped the old lines anew, so erasing them one by one would fail.
  const resized = () => {
    stdout.write("\u001b[2J\u001b[H");
    draw.done();
    redraw();
  };
  stdout.on("resize", resized);
  return {
    show: (next) => {
      found = next;
      redraw();
    },
    end: () => {
      stdout.off("resize", resized);
      draw.done();
    },
  };
}

export function formatScreen({ view, lines }: ReadStack, columns: number): string[] {
  return [formatReport(formatStatus(view), columns), ...lines.map(printableLines)].join("\n").split("\n");
}
