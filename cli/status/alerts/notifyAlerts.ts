import fs from "node:fs";
import path from "node:path";
import { type Notice, sendNotice } from "../../../core/notify/notify.ts";
import { isOurs } from "../../../core/registration/registration.ts";
import { resolveDataDirectory } from "../../../core/store/storeDirectory.ts";
import { day } from "../../../core/sync/progress.ts";
import { checkVersion } from "../../../core/util/checkVersion.ts";
import { commandsFor } from "../../../core/util/commands.ts";
import { parseJson } from "../../../core/util/parseJson.ts";
import { printable } from "../../../core/util/printable.ts";
import { formatProblem, hasKind, ProblemError } from "../../../core/util/problem.ts";
import { takeValue } from "../../../core/util/result.ts";
import { withFileLock } from "../../../core/util/withLock.ts";
import { replaceFile } from "../../../core/util/writeAtomically.ts";
import type { StackInfo } from "../openStack.ts";
import type { ReadStack, StackLookup } from "../stackView.ts";
import {
  type Alerts,
  alertOfRefusal,
  countMissed,
  findAlerts,
  getKind,
  getSubject,
  type MomentumCounts,
} from "./findAlerts.ts";
import { addFigures, checkTrends, type Figures, readFigures } from "./trends.ts";

const version = 1;

/** Stored for the next lookup of a stack: the notified alerts, its count of momentums, and figures of lookups. */
interface AlertMemory {
  readonly told: Alerts;
  /** Keys of alerts of which nobody is reminded. */
  readonly muted?: readonly string[];
  /** Unix milliseconds of the last reminder, or of the first alert. */
  readonly remindedAt?: number;
  readonly production?: MomentumCounts | undefined;
  readonly figures?: readonly Figures[];
}

const resolveDirectory = () => path.join(resolveDataDirectory(), "signs");

/** Works while no other process does: two runs at once would send each alert twice. */
function lockAlerts<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const busy = {
    what: "another status --notify is running on this machine",
    needed: "wait until that run has finished, or run status --notify less often",
  };
  return withFileLock(path.join(directory, ".lock"), busy, work);
}

/** Stops the daily reminders of a stack's present alerts until they are over, or starts them again. @throws ProblemError */
export function muteAlerts({ stack, config }: StackInfo, isMuted: boolean, directory = resolveDirectory()) {
  return lockAlerts(directory, async () => {
    const file = getFile(directory, config.pillar.name, stack);
    const memory = readMemory(file);
    const keys = Object.keys(memory.told);
    if (keys.length === 0)
      throw new ProblemError({
        what: `this machine has sent no alert of ${stack} that is not over`,
        needed: "run this on the machine that monitors, after an alert",
      });
    writeMemory(file, { ...memory, muted: isMuted ? keys : [] });
    const undo = commandsFor(stack).status("--unmute");
    const end = `Their end and each new alert still come. To be reminded of these again: ${undo}`;
    const lines = Object.values(memory.told).map((text) => `- ${printable(text)}`);
    return [isMuted ? "No more reminders of:" : "Reminders once a day of:", ...lines, isMuted ? end : ""]
      .join("\n")
      .trim();
  });
}

/**
 * Notifies webhooks of new and solved alerts, then calls the heartbeats of stacks whose webhook was notified: else nobody
 * would learn that no alert arrives. @returns the problems that prevented it
 */
export function notifyAlerts(stacks: readonly StackLookup[], directory = resolveDirectory(), send = sendNotice) {
  const all = stacks.filter((found) => !("refusal" in found && hasKind(found.refusal, "noServer", "serverGone")));
  return lockAlerts(directory, async (): Promise<readonly string[]> => {
    const failures = await Promise.all(all.map((found) => notifyStack(found, directory, send)));
    const problems = failures.filter((text) => text !== undefined);
    const sources = all.flatMap(({ source }) => source ?? []);
    const [first] = sources;
    if (first && sources.every(({ config }) => config.notify === undefined)) {
      const what = "pillar-host:notify is configured for no stack, so no webhook is notified";
      problems.push(formatProblem({ what, needed: `set it: ${commandsFor(first.stack).setSecret("notify")}` }));
    }
    const failed = all.filter((_, at) => failures[at] !== undefined);
    const mute = failed.map(({ source }) => source?.config.heartbeat);
    // A stack that can't be opened may have the heartbeat of another one.
    const isAnyHidden = failed.some(({ source }) => source === undefined);
    // The heartbeat says that this machine looked and can notify, not what it found. Several stacks may have the same one.
    for (const [heartbeat, stack] of new Map(sources.map(({ config, stack }) => [config.heartbeat, stack]))) {
      const reason = heartbeat && !isAnyHidden && !mute.includes(heartbeat) && (await send(heartbeat));
      const needed = `if its service is up, set the address again: ${commandsFor(stack).setSecret("heartbeat")}`;
      if (reason)
        problems.push(formatProblem({ what: `the heartbeat of ${stack} was not received: ${reason}`, needed }));
    }
    return problems;
  });
}

/** Returns the problem that prevented a notification. */
async function notifyStack(found: StackLookup, directory: string, send: typeof sendNotice) {
  const failed = `the webhook of ${found.stack} was not notified`;
  const { source } = found;
  if (source === undefined && "refusal" in found)
    return `${failed}, and no heartbeat is called, because its own is not known: ${found.refusal.message}`;
  const webhook = source?.config.notify;
  if (source === undefined || webhook === undefined) return undefined;
  const sending = sendNews(found, source, directory, (notice) => send(webhook, notice));
  const needed = `the next run tries again; to check the webhook: ${commandsFor(found.stack).notifyTest}`;
  return sending.then(
    (reason) => reason && formatProblem({ what: `${failed}: ${reason}`, needed }),
    // The memory of what was sent could not be read or stored.
    ({ message }: Error) => `${failed}: ${message}`,
  );
}

/** Sends what is new of a stack. Stores after each notice that it was sent: a killed run repeats at most one. */
async function sendNews(
  found: StackLookup,
  source: StackInfo,
  directory: string,
  send: (notice: Notice) => Promise<string | undefined>,
): Promise<string | undefined> {
  const file = getFile(directory, source.config.pillar.name, source.stack);
  let memory = readMemory(file);
  const store = (changes: Partial<AlertMemory>) => {
    memory = { ...memory, ...changes };
    writeMemory(file, memory);
  };
  const { seen, news } = decideNews(found, source, memory, Date.now());
  store(seen);
  for (const { notice, sent } of news) {
    const reason = await send(notice);
    if (reason !== undefined) return reason;
    store(sent);
  }
  return undefined;
}

/** Returns the alerts of a lookup, what it can't say, and what is stored of it. */
function readLookup(found: ReadStack, stallMinutes: number, memory: AlertMemory, now: number) {
  const { production: before, figures: earlier = [] } = memory;
  const registration = takeValue(found.view.parts.registration);
  const momentums = registration && isOurs(registration) ? registration.figures : undefined;
  const { counts: production = before, missed } = momentums ? countMissed(before, momentums) : {};
  const figures = readFigures(found.view, now);
  const trends = checkTrends(found.view, earlier, figures, stallMinutes * 60_000);
  return { ...findAlerts(found, missed, now, trends), stored: { production, figures: addFigures(earlier, figures) } };
}

interface News {
  readonly notice: Notice;
  /** Stored once the notice was sent. */
  readonly sent: Partial<AlertMemory>;
}

/**
 * Decides what is to be sent: new alerts, then solved ones, then once a day those that last. `seen`: what is stored of
 * the lookup itself.
 */
function decideNews(found: StackLookup, { stack, config, state }: StackInfo, memory: AlertMemory, now: number) {
  const { told, muted = [] } = memory;
  // A later figure is of a clock that was ahead.
  const earlier = { ...memory, figures: (memory.figures ?? []).filter(({ at }) => at <= now) };
  const { alerts, unknown, stored } =
    "refusal" in found
      ? { ...alertOfRefusal(found.refusal, state.isBegun, told), stored: {} }
      : readLookup(found, config.sync.stallMinutes, earlier, now);
  const keys = Object.keys(alerts);
  const subjects = keys.map(getSubject);
  const appeared = keys.filter((key) => !Object.hasOwn(told, key));
  const lasting = keys.filter((key) => Object.hasOwn(told, key) && !muted.includes(key));
  const gone = Object.keys(told).filter((key) => !Object.hasOwn(alerts, key) && !unknown.includes(getKind(key)));
  // An alert that became another one of its subject, such as an announced version that is required now, is not solved.
  const over = gone.filter((key) => !subjects.includes(getSubject(key)));
  const known = Object.fromEntries(Object.entries(told).filter(([key]) => !gone.includes(key) || over.includes(key)));
  const left = Object.fromEntries(Object.entries(known).filter(([key]) => !over.includes(key)));
  const remindedAt = Object.keys(told).length === 0 ? now : Math.min(now, memory.remindedAt ?? now);
  const { status } = commandsFor(stack);
  const makeNews = (
    event: Notice["event"],
    of: readonly string[],
    [what, start, end]: readonly string[],
    sent: News["sent"],
  ) => {
    const lines = of.map((key) => printable(`${start}${alerts[key] ?? told[key]}`));
    const notice = {
      event,
      title: `Pillar ${config.pillar.name} (${stack}): ${what}`,
      message: [...lines, end].join("\n").trim(),
    };
    return of.length === 0 ? [] : [{ notice, sent }];
  };
  const count = appeared.length === 1 ? "a problem" : `${appeared.length} problems`;
  const details = `Details: ${status()}`;
  const mute = `No more reminders of this: ${status("--mute")}`;
  const due = now - remindedAt < day ? [] : lasting;
  return {
    seen: {
      ...stored,
      told: known,
      remindedAt,
      muted: muted.filter((key) => key in left),
    },
    news: [
      ...makeNews("sign", appeared, [count, "", details], { told: { ...alerts, ...known } }),
      ...makeNews("signOver", over, ["solved", "Solved: ", ""], { told: { ...alerts, ...left } }),
      ...makeNews("reminder", due, ["reminder", "Still: ", mute], { remindedAt: now }),
    ],
  };
}

function getFile(directory: string, pillar: string, stack: string): string {
  return path.join(directory, `${[pillar, stack].map(encodeURIComponent).join("@")}.json`);
}

/** Reads what was notified. After an unreadable file, all alerts are notified again. @throws for a newer version */
function readMemory(file: string): AlertMemory {
  if (!fs.existsSync(file)) return { told: {} };
  const stored = (parseJson(fs.readFileSync(file, "utf8")) ?? { version }) as Partial<
    AlertMemory & { version: unknown }
  >;
  checkVersion(stored.version, version, `the alerts of a stack, ${file}`);
  return { told: {}, ...stored };
}

function writeMemory(file: string, memory: AlertMemory): void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, `${JSON.stringify({ version, ...memory }, undefined, 2)}\n`);
}
