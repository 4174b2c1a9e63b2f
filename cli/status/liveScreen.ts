import { newsText } from "../../core/sync/syncMessages";
import { printable } from "../../core/util/printable";
import type { Display } from "./display";
import { layOutScreen, layOutStacks } from "./screenLayout";
import { formatStatus, isEvent } from "./statusRows";

const newsKept = 5;

export async function createLiveScreen(stdout: NodeJS.WriteStream): Promise<Display> {
  const { createLogUpdate } = await import("log-update");
  const draw = createLogUpdate(stdout);
  let news: readonly string[] = [];
  let redraw = () => {};
  // The terminal has wrapped the old lines differently, so they can't be erased one by one.
  const resized = () => {
    stdout.write("\u001b[2J\u001b[H");
    draw.done();
    redraw();
  };
  stdout.on("resize", resized);
  return {
    show: (shown) => {
      redraw = () => {
        const size = { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
        const all = shown.map(({ view, times }) => formatStatus(view, { ...times, now: Date.now() }));
        const [only] = all;
        const lines = all.length === 1 && only ? layOutScreen(only, news, size) : layOutStacks(all, news, size);
        draw(lines.join("\n"));
      };
      redraw();
    },
    say: (said, stack) => {
      if (!isEvent(said)) return;
      const text = printable(said.kind === "watch" ? said.text : newsText(said));
      const whose = stack === undefined ? "" : `${stack}: `;
      news = [...news, `${new Date().toISOString().slice(11, 19)} ${whose}${text}`].slice(-newsKept);
    },
    end: () => {
      stdout.off("resize", resized);
      draw.done();
    },
  };
}
