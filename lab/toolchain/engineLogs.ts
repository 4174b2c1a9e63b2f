import fs from "node:fs";
import path from "node:path";

/** Set where the engine is to keep no log of its own: a run of the tests sets it. */
export const withoutLogsVariable = "PILLAR_LAB_WITHOUT_ENGINE_LOGS";

const logsOf = (home: string) => path.join(home, "logs");

/** For tests that search all that the engine wrote: its logs are kept in the homes that this process makes from here on. */
export function keepEngineLogs(): void {
  delete process.env[withoutLogsVariable];
}

/**
 * Keeps the engine from writing a log below a home, where that is wanted: with the properties of every call in it, it is
 * half of an engine's work, and no option turns it off. Where its directory can't be made, the engine goes on without.
 */
export function settleEngineLogs(home: string): void {
  if (process.env[withoutLogsVariable] && !fs.existsSync(logsOf(home))) fs.writeFileSync(logsOf(home), "");
}

/** Where the engine's logs of a home lie. @throws where none are kept */
export function engineLogs(home: string): string {
  if (fs.statSync(logsOf(home), { throwIfNoEntry: false })?.isFile())
    throw new Error("the engine keeps no log in this run: call keepEngineLogs() before the stack is made");
  return logsOf(home);
}
