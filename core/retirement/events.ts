import { type EventLog, logRefOfInputs, openEventLog } from "../eventLog/eventLog";
import { commandsFor } from "../util/commands";
import type { RetirementInputs } from "./guardInputs";

/** The event log, for a destroy. */
export function retirementLog(inputs: RetirementInputs, deps: { now(): number; say(line: string): void }): EventLog {
  const log = openEventLog(logRefOfInputs(inputs), deps);
  const withCommand = <A extends unknown[], T>(work: (...given: A) => Promise<T>) => {
    return async (...given: A): Promise<T> => {
      try {
        return await work(...given);
      } catch (error) {
        throw new Error(`${(error as Error).message}\n  Then: ${commandsFor(inputs.stack).destroy}`);
      }
    };
  };
  return { ...log, read: withCommand(log.read), add: withCommand(log.add) };
}
