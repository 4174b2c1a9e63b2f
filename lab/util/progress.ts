import readline from "node:readline";
import type { Readable } from "node:stream";

const HEARTBEAT_MS = 10_000;
const DETAIL_WIDTH = 80;

/** Reports of a step while it runs. */
export interface Progress {
  /** Shows `line` (truncated) beside the elapsed time at the next heartbeat. */
  detail(line: string): void;
  /** Feeds every non-empty line of a tool's output to `detail`. */
  follow(output: Readable | null | undefined): void;
}

/** Formats a duration: `12 s` below a minute, `3 min 04 s` from there on. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

/**
 * Runs `fn` and reports its progress: `title …`, a heartbeat every 10 s, `title: done in 12 s`. Reports a failure as
 * `title: failed after 12 s` and throws it on.
 */
export async function step<T>(title: string, fn: (progress: Progress) => Promise<T>): Promise<T> {
  const started = Date.now();
  let last = "";
  const progress: Progress = {
    detail: (line) => {
      last = truncate(line);
    },
    follow: (output) => {
      if (output)
        readline.createInterface({ input: output }).on("line", (line) => line.trim() && progress.detail(line));
    },
  };

  print(`${title} …`);
  const heartbeat = setInterval(() => {
    print(`${title}: still going after ${elapsed(Date.now() - started)}${last ? ` (${last})` : ""}`);
  }, HEARTBEAT_MS);
  try {
    const result = await fn(progress);
    print(`${title}: done in ${elapsed(Date.now() - started)}`);
    return result;
  } catch (error) {
    print(`${title}: failed after ${elapsed(Date.now() - started)}`);
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

// Progress goes to stderr: a program may read the command's stdout (`lab list`, a test report).
function print(line: string): void {
  process.stderr.write(`${line}\n`);
}

function truncate(line: string): string {
  const text = line.trim();
  return text.length <= DETAIL_WIDTH ? text : `${text.slice(0, DETAIL_WIDTH - 1)}…`;
}
