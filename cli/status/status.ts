import { setImmediate as turn } from "node:timers/promises";
import { createPulumi } from "../pulumi/pulumiCommand";
import { CliRefusal, refusalExitCode } from "../terminal/refusal";
import type { AlertNotifier } from "./alerts/notifyAlerts";
import { openStackWithHost, type StackWithHost } from "./openStack";
import type { StackLookup } from "./overview";

export interface StatusOptions {
  readonly watch?: boolean;
  readonly keep?: boolean;
  readonly json?: boolean;
  readonly notify?: boolean;
}

/** Shows the hosts of stacks, once or live. @returns the exit code. @throws CliRefusal if a single stack can't be read */
export async function status(stacks: readonly string[], options: StatusOptions): Promise<number> {
  const sources = await openStacks(stacks);
  const [first] = sources;
  if (sources.length === 1 && first instanceof CliRefusal) throw first;

  const readable = sources.filter((source): source is StackWithHost => !(source instanceof CliRefusal));
  if (options.watch && readable.some(({ hostKey }) => hostKey !== undefined)) {
    const { watch } = require("./watch") as typeof import("./watch");
    for (const source of sources) if (source instanceof CliRefusal) console.error(source.message);
    return watch(readable, { keep: options.keep === true || stacks.length > 1 });
  }
  const found = await Promise.all(sources.map((source, i) => lookUp(stacks[i] ?? "", source)));
  const [only] = found;
  if (found.length === 1 && only && "refusal" in only) throw only.refusal;
  printLookups(found, options);
  return Math.max(...found.map((one) => ("refusal" in one ? refusalExitCode : one.exitCode)));
}

/** Shows every stack of this program in the backend. @returns the exit code. @throws CliRefusal */
export async function showAllStacks({ json, notify }: Pick<StatusOptions, "json" | "notify">): Promise<number> {
  const { openAlertNotifier } = require("./alerts/notifyAlerts") as typeof import("./alerts/notifyAlerts");
  // Takes the lock before the first lookup. A second run on this machine then can't notify with older lookups.
  const notifier = notify ? await openAlertNotifier() : undefined;
  try {
    return await overview(json === true, notifier);
  } finally {
    await notifier?.close();
  }
}

async function overview(json: boolean, notifier: AlertNotifier | undefined): Promise<number> {
  const { decideOverviewExitCode, createOverviewJson, formatOverview } =
    require("./overview") as typeof import("./overview");
  const listed = createPulumi("").listStacks();
  listed.catch(() => undefined);
  await turn();
  // Loaded (half a second) while pulumi lists the stacks.
  require("../pulumi/configuration");
  const stacks = await listed;
  const sources = await openStacks(stacks);
  const found = await Promise.all(sources.map((source, i) => lookUp(stacks[i] ?? "", source)));
  if (json) console.log(JSON.stringify(createOverviewJson(found), undefined, 2));
  else for (const line of formatOverview(found, process.stdout.columns ?? 120)) console.log(line);
  const problems = (await notifier?.notify(found, sources)) ?? [];
  for (const line of problems) console.error(line);
  return problems.length > 0 ? refusalExitCode : decideOverviewExitCode(found);
}

/** Opens one stack after the other, because each may ask for its pass phrase, and a typed one is tried for the next. */
async function openStacks(stacks: readonly string[]): Promise<(StackWithHost | CliRefusal)[]> {
  const sources: (StackWithHost | CliRefusal)[] = [];
  for (const stack of stacks) sources.push(await catchRefusal(openStackWithHost(stack)));
  return sources;
}

async function lookUp(stack: string, source: StackWithHost | CliRefusal): Promise<StackLookup> {
  if (source instanceof CliRefusal) return { stack, refusal: source };
  const { hostKey } = source;
  const { readStatusOnce, readUnknownHost } = require("./readStatus") as typeof import("./readStatus");
  if (hostKey === undefined) return { ...(await readUnknownHost(source)), stack };
  const reading = await catchRefusal(readStatusOnce(source, hostKey));
  return reading instanceof CliRefusal ? { stack, refusal: reading } : { ...reading, stack };
}

async function catchRefusal<T>(promise: Promise<T>): Promise<T | CliRefusal> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof CliRefusal) return error;
    throw error;
  }
}

function printLookups(found: readonly StackLookup[], { json }: StatusOptions): void {
  const { formatStatus } = require("./statusRows") as typeof import("./statusRows");
  const { formatReport } = require("./screenLayout") as typeof import("./screenLayout");
  if (json) {
    const { createLookupJson } = require("./overview") as typeof import("./overview");
    const reports = found.map(createLookupJson);
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
    console.log(formatReport(formatStatus(one.view), process.stdout.columns ?? 120));
    for (const line of one.lines) console.error(line);
  });
}
