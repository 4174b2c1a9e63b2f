import { type EventLog, openEventLog } from "../eventLog/eventLog";
import { commandsFor } from "../util/commands";
import type { RetirementInputs } from "./inputs";

/** The event log, for a destroy. */
export function retirementLog(
  { backup, stack, pillar }: RetirementInputs,
  deps: { now(): number; say(line: string): void },
): EventLog {
  const log = openEventLog({ directory: backup.directory, stack, pillar }, deps);
  const withCommand = <A extends unknown[], T>(work: (...given: A) => Promise<T>) => {
    return async (...given: A): Promise<T> => {
      try {
        return await work(...given);
      } catch (error) {
        throw new Error(`${(error as Error).message}\n  Then: ${commandsFor(stack).destroy}`);
      }
    };
  };
  return { ...log, read: withCommand(log.read), add: withCommand(log.add) };
}
