import { noParts } from "./parts/parts";
import { CliRefusal, couldNot } from "./refusal";
import { openSource, type Source, viewOf } from "./source";
import type { View } from "./view";

export interface StatusOptions {
  readonly watch?: boolean;
  readonly keep?: boolean;
  readonly json?: boolean;
}

/** A stack that was looked at, or why it was not. */
type Found =
  | { readonly stack: string; readonly view: View; readonly exitCode: number; readonly lines: readonly string[] }
  | { readonly stack: string; readonly refusal: CliRefusal };

/** Looks at the hosts of stacks, once or live. @returns the exit code of --help. @throws Refusal where one stack is asked for */
export async function status(stacks: readonly string[], options: StatusOptions): Promise<number> {
  const sources: (Source | CliRefusal)[] = [];
  // One after the other: each may ask for its pass phrase.
  for (const stack of stacks) sources.push(await refused(openSource(stack)));
  const [first] = sources;
  if (sources.length === 1 && first instanceof CliRefusal) throw first;

  const known = sources.filter((source): source is Source => !(source instanceof CliRefusal));
  if (options.watch && known.some(({ hostKey }) => hostKey !== undefined)) {
    const { watch } = require("./watch") as typeof import("./watch");
    for (const source of sources) if (source instanceof CliRefusal) console.error(source.message);
    return watch(known, { keep: options.keep === true || stacks.length > 1 });
  }
  const found = await Promise.all(sources.map((source, i) => lookAt(stacks[i] ?? "", source)));
  const [only] = found;
  if (found.length === 1 && only && "refusal" in only) throw only.refusal;
  show(found, options);
  return Math.max(...found.map((one) => ("refusal" in one ? couldNot : one.exitCode)));
}

async function lookAt(stack: string, source: Source | CliRefusal): Promise<Found> {
  if (source instanceof CliRefusal) return { stack, refusal: source };
  const view = await viewOf(source);
  if (source.hostKey === undefined) {
    const { unknownHost } = require("./unknownHost") as typeof import("./unknownHost");
    const parts = noParts(view.lifecycle, "nobody logged in");
    return { stack, view: { ...view, parts }, ...(await unknownHost(source)) };
  }
  const { lookOnce } = require("./lookOnce") as typeof import("./lookOnce");
  const looked = await refused(lookOnce(view, source, source.hostKey));
  if (looked instanceof CliRefusal) return { stack, refusal: looked };
  return { stack, view: looked.view, exitCode: looked.exitCode, lines: looked.trouble };
}

async function refused<T>(promise: Promise<T>): Promise<T | CliRefusal> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof CliRefusal) return error;
    throw error;
  }
}

function show(found: readonly Found[], { json }: StatusOptions): void {
  const { rowsOf } = require("./rows") as typeof import("./rows");
  const { plainReport } = require("./screen") as typeof import("./screen");
  const { jsonReport } = require("./jsonReport") as typeof import("./jsonReport");
  if (json) {
    const reports = found.map((one) =>
      "refusal" in one
        ? { stack: one.stack, looked: false, refusal: one.refusal.message }
        : jsonReport(one.view, one.exitCode),
    );
    console.log(JSON.stringify(found.length === 1 ? reports[0] : reports, undefined, 2));
    for (const one of found) if ("lines" in one) for (const line of one.lines) console.error(line);
    return;
  }
  found.forEach((one, i) => {
    if (i > 0) console.log("");
    if ("refusal" in one) {
      console.error(one.refusal.message);
      return;
    }
    console.log(plainReport(rowsOf(one.view), process.stdout.columns ?? 120));
    for (const line of one.lines) console.error(line);
  });
}
