import { setImmediate as turn } from "node:timers/promises";
import { createPulumi } from "../pulumi/pulumiCommand";
import { CliRefusal, refusalExitCode } from "../terminal/refusal";
import type { AlertNotifier } from "./alerts/notifyAlerts";
import { openStackWithHost, type StackWithHost } from "./openStack";
import type { ReadStack, StackLookup } from "./overview";

export interface StatusOptions {
  readonly watch?: boolean;
  readonly keep?: boolean;
  readonly json?: boolean;
  readonly notify?: boolean;
}

/** Shows the host of a stack, once or live. @returns the exit code. @throws CliRefusal if it can't be read */
export async function status(stack: string, { watch: isWatched, keep, json }: StatusOptions): Promise<number> {
  const source = await openStackWithHost(stack);
  const { hostKey } = source;
  if (isWatched && hostKey !== undefined) {
    const { watch } = require("./watch") as typeof import("./watch");
    return watch(source, hostKey, keep === true);
  }
  const { view, exitCode, lines } = await readHost(source);
  if (json) {
    const { createStatusJson } = require("./statusJson") as typeof import("./statusJson");
    console.log(JSON.stringify(createStatusJson(view, exitCode), undefined, 2));
  } else {
    const { formatStatus } = require("./statusRows") as typeof import("./statusRows");
    const { formatReport } = require("./screenLayout") as typeof import("./screenLayout");
    console.log(formatReport(formatStatus(view), process.stdout.columns ?? 120));
  }
  for (const line of lines) console.error(line);
  return exitCode;
}

async function readHost(source: StackWithHost): Promise<ReadStack> {
  const { readStatusOnce, readUnknownHost } = require("./readStatus") as typeof import("./readStatus");
  return source.hostKey === undefined ? readUnknownHost(source) : readStatusOnce(source, source.hostKey);
}

/** Shows every stack of this program in the backend. @returns the exit code. @throws CliRefusal */
export async function showAllStacks({ json, notify }: Pick<StatusOptions, "json" | "notify">): Promise<number> {
  const { openAlertNotifier } = require("./alerts/notifyAlerts") as typeof import("./alerts/notifyAlerts");
  // Takes the lock before the first lookup, so that a run that waited for the lock does not notify of an older lookup.
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
  // Loads the configuration schema (half a second) while pulumi lists the stacks.
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
  const reading = source instanceof CliRefusal ? source : await catchRefusal(readHost(source));
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
