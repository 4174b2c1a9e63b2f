import fs from "node:fs";
import path from "node:path";
import lockfile from "proper-lockfile";
import { type Notice, sendHeartbeat, sendNotice } from "../../../core/notify/notify";
import { isOurs } from "../../../core/registration/registration";
import { resolveDataDirectory } from "../../../core/store/recordsDirectory";
import { checkVersion } from "../../../core/util/checkVersion";
import { commandsFor } from "../../../core/util/commands";
import { printable } from "../../../core/util/printable";
import { formatProblem } from "../../../core/util/problem";
import { replaceFile } from "../../../core/util/writeAtomically";
import { CliRefusal, refusalExitCode } from "../../terminal/refusal";
import { NoServerRefusal, type StackWithHost } from "../openStack";
import type { ReadStack, StackLookup } from "../overview";
import { getValue } from "../parts/statusParts";
import { findAlerts } from "./findAlerts";
import { type MomentumCounts, updateMomentumCounts } from "./momentumCounts";

const version = 1;

/** Stored for the next lookup of a stack: texts of the notified alerts, by their keys, and its momentum counts. */
interface AlertMemory {
  readonly told: Readonly<Record<string, string>>;
  readonly production?: MomentumCounts | undefined;
}

/** Notifies webhooks of new and solved alerts. Only one process of this machine at a time has a notifier. */
export interface AlertNotifier {
  /** @param sources of the stacks, in the order of `found` @returns the problems that prevented notifications */
  notify(found: readonly StackLookup[], sources: readonly (StackWithHost | CliRefusal)[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Waits for another notifier of this machine, at most waitSeconds. @throws CliRefusal */
export async function openAlertNotifier(
  send = sendNotice,
  directory = path.join(resolveDataDirectory(), "signs"),
  waitSeconds = 60,
  beat = sendHeartbeat,
): Promise<AlertNotifier> {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lockfilePath = path.join(directory, ".lock");
  const retries = { retries: waitSeconds, factor: 1, minTimeout: 1000 };
  const options = { lockfilePath, retries, realpath: false, stale: 15_000, onCompromised: () => undefined };
  const release = await lockfile.lock(directory, options).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ELOCKED") throw error;
    throw new CliRefusal(
      formatProblem({
        what: "another status --notify is running on this machine",
        found: `${lockfilePath}, a lock that another process holds`,
        needed: "wait until that run has finished, or run status --notify less often",
      }),
    );
  });
  const notifyStack = async (one: StackLookup, source: StackWithHost | CliRefusal | undefined) => {
    if (!("view" in one))
      return one.refusal instanceof NoServerRefusal
        ? undefined
        : `${one.stack} could not be read, so its webhook was not notified: ${one.refusal.message}`;
    const webhook = source && "config" in source ? source.config.notify : undefined;
    if (webhook === undefined) return undefined;
    return notifyOne(one, directory, (notice) => send(webhook, notice)).catch((error: Error) =>
      error instanceof CliRefusal
        ? error.message
        : formatProblem({
            what: `the webhook of ${one.stack} was not notified`,
            found: error.message,
            needed: "make $XDG_DATA_HOME (or ~/.local/share) readable and writable",
          }),
    );
  };
  return {
    close: () => release().catch(() => undefined),
    notify: async (found, sources) => {
      const failures = await Promise.all(found.map((one, i) => notifyStack(one, sources[i])));
      const problems = [...failures.filter((line) => line !== undefined), ...describeMissingWebhook(found, sources)];
      return [...problems, ...(await callHeartbeats(sources, problems.length > 0, beat))];
    },
  };
}

/** Calls each heartbeat address once; its service notices if the calls stop. Returns the problems. */
async function callHeartbeats(
  sources: readonly (StackWithHost | CliRefusal)[],
  hasFailed: boolean,
  beat: typeof sendHeartbeat,
): Promise<string[]> {
  const stacks = new Map(
    sources.flatMap((source) =>
      "config" in source && source.config.heartbeat ? [[source.config.heartbeat, source.stack]] : [],
    ),
  );
  const calls = [...stacks].map(async ([heartbeat, stack]) => {
    const reason = await beat(heartbeat, hasFailed);
    return reason === undefined
      ? []
      : [
          formatProblem({
            what: `the heartbeat of ${stack} was refused: ${reason}`,
            needed: `set the address again (pulumi asks for it): ${commandsFor(stack).setSecret("heartbeat")}`,
          }),
        ];
  });
  return (await Promise.all(calls)).flat();
}

/** Reports if no stack has a webhook. One of several may lack it on purpose. */
function describeMissingWebhook(
  found: readonly StackLookup[],
  sources: readonly (StackWithHost | CliRefusal)[],
): string[] {
  const readable = found.find((one) => "view" in one);
  if (readable === undefined || sources.some((source) => "config" in source && source.config.notify !== undefined))
    return [];
  return [
    formatProblem({
      what: "pillar-host:notify is configured for no stack, so no webhook is notified",
      needed: `set the webhook's address (pulumi asks for it): ${commandsFor(readable.stack).setSecret("notify")}`,
    }),
  ];
}

/**
 * Notifies of new alerts, then of solved ones. Stores after each that it was sent, so that a killed run repeats at most
 * one. Returns the problem that prevented a notification.
 */
async function notifyOne(
  found: ReadStack,
  directory: string,
  send: (notice: Notice) => Promise<string | undefined>,
): Promise<string | undefined> {
  const { view, exitCode, lines } = found;
  const { stack, pillar } = view;
  const file = path.join(directory, `${[pillar, stack].map(encodeURIComponent).join("@")}.json`);
  const before = readMemory(file);
  const production = updateCounts(before.production, found);
  const { alerts, unknown } = findAlerts(
    { view, isReachable: exitCode !== refusalExitCode, problems: lines, counts: production },
    Date.now(),
  );
  const appeared = alerts.filter(({ key }) => !Object.hasOwn(before.told, key));
  const over = Object.entries(before.told).filter(
    ([key]) => !alerts.some((alert) => alert.key === key) && !unknown.includes(key.split(":")[0] ?? ""),
  );
  const withNew = { ...before.told, ...Object.fromEntries(appeared.map(({ key, text }) => [key, text])) };
  const left = Object.fromEntries(Object.entries(withNew).filter(([key]) => !over.some(([old]) => old === key)));
  const count = appeared.length === 1 ? "a problem" : `${appeared.length} problems`;
  const problems = [...appeared.map(({ text }) => printable(text)), `Details: ${commandsFor(stack).status()}`];
  const solved = over.map(([, text]) => `Solved: ${printable(text)}`);
  writeMemory(file, { told: before.told, production });
  for (const { event, title, message, told } of [
    ...(appeared.length > 0 ? [{ event: "sign" as const, title: count, message: problems, told: withNew }] : []),
    ...(over.length > 0 ? [{ event: "signOver" as const, title: "solved", message: solved, told: left }] : []),
  ]) {
    const notice = { event, title: `Pillar ${pillar} (${stack}): ${title}`, message: message.join("\n") };
    const reason = await send(notice);
    if (reason !== undefined)
      return formatProblem({
        what: `the webhook of ${stack} refused a notification: ${reason}; the next run tries again`,
        needed: `check the webhook: ${commandsFor(stack).notifyTest}`,
      });
    writeMemory(file, { told, production });
  }
  return undefined;
}

function updateCounts(before: MomentumCounts | undefined, { view }: ReadStack): MomentumCounts | undefined {
  const found = getValue(view.parts?.registration);
  if (found === undefined || found.kind === "unknown") return before;
  // While another address is registered, the Pillar's momentums are not this host's.
  if (!isOurs(found)) return undefined;
  return found.figures === undefined ? before : updateMomentumCounts(before, found.figures);
}

function readMemory(file: string): AlertMemory {
  if (!fs.existsSync(file)) return { told: {} };
  const text = fs.readFileSync(file, "utf8");
  let found: Partial<AlertMemory> & { version?: unknown };
  try {
    found = JSON.parse(text) as typeof found;
  } catch {
    throw new CliRefusal(
      formatProblem({
        what: `${file}: the alerts of a stack can't be read`,
        found: "a text that this program did not write",
        needed: `delete the file; all alerts are then notified again: rm '${file}'`,
      }),
    );
  }
  checkVersion(found.version, version, `the alerts of a stack, ${file}`);
  return { told: found.told ?? {}, production: found.production };
}

function writeMemory(file: string, memory: AlertMemory): void {
  replaceFile(file, `${JSON.stringify({ version, ...memory }, undefined, 2)}\n`);
}
