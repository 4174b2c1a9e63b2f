import { formatMessage } from "../../core/sync/syncMessages";
import { printable } from "../../core/util/printable";
import { layOutScreen } from "./screenLayout";
import type { Display } from "./stackView";
import { formatStatus, isEvent } from "./statusRows";

const maxEvents = 5;

export async function createLiveScreen(stdout: NodeJS.WriteStream): Promise<Display> {
  const { createLogUpdate } = await import("log-update");
  const draw = createLogUpdate(stdout);
  let events: readonly string[] = [];
  let redraw = () => {};
  // The terminal has wrapped the old lines differently, so they can't be erased one by one.
  const resized = () => {
    stdout.write("\u001b[2J\u001b[H");
    draw.done();
    redraw();
  };
  stdout.on("resize", resized);
  return {
    show: (stacks) => {
      redraw = () => {
        const size = { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
        const all = stacks.map(({ view, times }) => formatStatus(view, { ...times, now: Date.now() }));
        draw(layOutScreen(all, events, size).join("\n"));
      };
      redraw();
    },
    say: (message, stack) => {
      if (!isEvent(message)) return;
      const text = printable(message.kind === "watch" ? message.text : formatMessage(message));
      const prefix = stack === undefined ? "" : `${stack}: `;
      events = [...events, `${new Date().toISOString().slice(11, 19)} ${prefix}${text}`].slice(-maxEvents);
    },
    end: () => {
      stdout.off("resize", resized);
      draw.done();
    },
  };
}
