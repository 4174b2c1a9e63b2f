import fs from "node:fs";
import path from "node:path";

/** Environment variable that keeps the engine from writing its own log. Test runs set it. */
export const withoutLogsVariable = "PILLAR_LAB_WITHOUT_ENGINE_LOGS";

const logsOf = (home: string) => path.join(home, "logs");

/**
 * Keeps the engine's logs in the homes that this test file makes from now on, because it searches all of the engine's
 * output.
 */
export function keepEngineLogs(): void {
  delete process.env[withoutLogsVariable];
}

/**
 * Keeps the engine from writing a log below a home if the variable is set. The log contains the properties of every
 * call, which is half of an engine's work, and no option turns it off. If the log directory cannot be made, the engine
 * runs without a log.
 */
export function settleEngineLogs(home: string): void {
  if (process.env[withoutLogsVariable] && !fs.existsSync(logsOf(home))) fs.writeFileSync(logsOf(home), "");
}

/**
 * Returns the directory of a home's engine logs.
 * @throws if the engine keeps none
 */
export function engineLogs(home: string): string {
  if (fs.statSync(logsOf(home), { throwIfNoEntry: false })?.isFile())
    throw new Error("the engine keeps no log in this run: call keepEngineLogs() before the stack is made");
  return logsOf(home);
}
