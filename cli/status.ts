import { openSource, viewOf } from "./source";
import type { View } from "./view";

/** Looks at a stack's host, once or until it is synced. @returns the exit code of --help. @throws Refusal */
export async function status(stack: string, options: { watch?: boolean; json?: boolean }): Promise<number> {
  const source = await openSource(stack);
  if (source.hostKey === undefined) {
    const { unknownHost } = require("./unknownHost") as typeof import("./unknownHost");
    return show(await viewOf(source), await unknownHost(source), options);
  }
  if (options.watch) {
    const { watch } = require("./watch") as typeof import("./watch");
    return watch(source, source.hostKey);
  }
  const { lookOnce } = require("./lookOnce") as typeof import("./lookOnce");
  const { view, exitCode, trouble } = await lookOnce(await viewOf(source), source, source.hostKey);
  return show(view, { exitCode, lines: trouble }, options);
}

function show(
  view: View,
  { exitCode, lines }: { exitCode: number; lines: readonly string[] },
  { json }: { json?: boolean },
): number {
  const { rowsOf } = require("./rows") as typeof import("./rows");
  const { plainReport } = require("./screen") as typeof import("./screen");
  const { jsonReport } = require("./jsonReport") as typeof import("./jsonReport");
  console.log(json ? jsonReport(view, exitCode) : plainReport(rowsOf(view), process.stdout.columns ?? 120));
  for (const line of lines) console.error(line);
  return exitCode;
}
