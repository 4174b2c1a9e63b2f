import { isEvent, printable, rowsOf } from "./rows";
import { screenLines } from "./screen";
import type { Display } from "./watch";

const newsKept = 5;

/** A terminal in which the view is drawn anew in place. */
export async function liveScreen(stdout: NodeJS.WriteStream): Promise<Display> {
  const { createLogUpdate } = await import("log-update");
  const draw = createLogUpdate(stdout);
  let news: readonly string[] = [];
  let redraw = () => {};
  // What was drawn for the old width is broken differently now: nothing of it can be found again.
  const resized = () => {
    stdout.write("\u001b[2J\u001b[H");
    draw.done();
    redraw();
  };
  stdout.on("resize", resized);
  return {
    show: (view, times) => {
      redraw = () => {
        const size = { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
        draw(screenLines(rowsOf(view, times), news, size).join("\n"));
      };
      redraw();
    },
    say: (line) => {
      const text = printable(line).replace(/^sync: /, "");
      if (isEvent(text)) news = [...news, `${new Date().toISOString().slice(11, 19)} ${text}`].slice(-newsKept);
    },
    end: () => {
      stdout.off("resize", resized);
      draw.done();
    },
  };
}
