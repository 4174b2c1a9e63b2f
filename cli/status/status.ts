import { setImmediate as turn } from "node:timers/promises";
import { limited } from "../../core/util/limited";
import { createEngine } from "../pulumi/pulumiCommand";
import { CliRefusal, couldNot } from "../terminal/refusal";
import type { Teller } from "./alerts/notifyAlerts";
import { openSource, type Source, viewOf } from "./openStack";
import type { Found } from "./overview";
import { noParts } from "./parts/statusParts";

export interface StatusOptions {
  readonly watch?: boolean;
  readonly keep?: boolean;
  readonly json?: boolean;
  readonly notify?: boolean;
}

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
  const found = await lookAtEach(stacks, sources);
  const [only] = found;
  if (found.length === 1 && only && "refusal" in only) throw only.refusal;
  show(found, options);
  return Math.max(...found.map((one) => ("refusal" in one ? couldNot : one.exitCode)));
}

/** Looks at every stack of the backend that is this program's. @returns the exit code of --help. @throws Refusal */
export async function statusOfAll({ json, notify }: Pick<StatusOptions, "json" | "notify">): Promise<number> {
  const { openTeller } = require("./alerts/notifyAlerts") as typeof import("./alerts/notifyAlerts");
  // Before the first look: what a later one saw must not be told before what an earlier one did.
  const teller = notify ? await openTeller() : undefined;
  try {
    return await overview(json === true, teller);
  } finally {
    await teller?.close();
  }
}

async function overview(json: boolean, teller: Teller | undefined): Promise<number> {
  const { overviewCode, overviewJson, overviewLines } = require("./overview") as typeof import("./overview");
  const listed = createEngine("").list();
  listed.catch(() => undefined);
  await turn();
  // What each stack needs, and takes half a second to load.
  require("../pulumi/configuration");
  const stacks = await listed;
  // One that was typed is tried for the next one. Who is open is looked at while others are opened: looks wait more than they work.
  const oneOf = limited(mayAsk() ? 1 : atOnce);
  const looks = await Promise.all(
    stacks.map(async (stack) => {
      const source = await oneOf(() => refused(openSource(stack)));
      return { source, found: await lookAt(stack, source) };
    }),
  );
  const [found, sources] = [looks.map((look) => look.found), looks.map(({ source }) => source)];
  if (json) console.log(JSON.stringify(overviewJson(found), undefined, 2));
  else for (const line of overviewLines(found, process.stdout.columns ?? 120)) console.log(line);
  const hindered = (await teller?.tell(found, sources)) ?? [];
  for (const line of hindered) console.error(line);
  return hindered.length > 0 ? couldNot : overviewCode(found);
}

/** Each is a pulumi of its own, which keeps a core busy. */
const atOnce = 3;

const mayAsk = () =>
  process.stdin.isTTY &&
  process.env.PULUMI_CONFIG_PASSPHRASE === undefined &&
  process.env.PULUMI_CONFIG_PASSPHRASE_FILE === undefined;

const lookAtEach = (stacks: readonly string[], sources: readonly (Source | CliRefusal)[]): Promise<Found[]> =>
  Promise.all(sources.map((source, i) => lookAt(stacks[i] ?? "", source)));

async function lookAt(stack: string, source: Source | CliRefusal): Promise<Found> {
  if (source instanceof CliRefusal) return { stack, refusal: source };
  const view = await viewOf(source);
  if (source.hostKey === undefined) {
    const { unknownHost } = require("./unknownHost") as typeof import("./unknownHost");
    const parts = noParts(view.lifecycle, "nobody logged in");
    return { stack, view: { ...view, parts }, ...(await unknownHost(source)) };
  }
  const { lookOnce } = require("./readStatus") as typeof import("./readStatus");
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
  const { rowsOf } = require("./statusRows") as typeof import("./statusRows");
  const { plainReport } = require("./screenLayout") as typeof import("./screenLayout");
  if (json) {
    const { foundJson } = require("./overview") as typeof import("./overview");
    const reports = found.map(foundJson);
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
