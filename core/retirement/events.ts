import { appendEvent, type EventDetails, type EventName, type LogEvent, readEvents } from "../eventLog/eventLog";
import { resolvePath } from "../util/resolvePath";
import type { RetirementInputs } from "./inputs";

/** What is written down, and where. */
export interface RetirementLog {
  readonly directory: string;
  /** @throws in words */
  read(): LogEvent[];
  /** @throws in words: what must be written down is not done without */
  write<E extends EventName>(event: E, details: EventDetails[E]): void;
  /** Says so where it can't be written. */
  note<E extends EventName>(event: E, details: EventDetails[E]): void;
}

/** The record of a migration, for a destroy. */
export function retirementLog(
  { backup, stack, pillar }: RetirementInputs,
  deps: { now(): number; say(line: string): void },
): RetirementLog {
  const directory = resolvePath(backup.directory);
  const inWords = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new Error(
        `the record of the migration could not be ${what} on this machine: ${directory}\n` +
          `  found: ${(error as Error).message}\n  needed: a directory that can be read and written, with room in it\n` +
          `  Then: pulumi destroy -s ${stack}`,
      );
    }
  };
  const write: RetirementLog["write"] = (event, details) =>
    inWords("written", () =>
      appendEvent(directory, {
        ...{ at: new Date(deps.now()).toISOString(), stack, pillar, event, details },
      } as Parameters<typeof appendEvent>[1]),
    );
  const note: RetirementLog["note"] = (event, details) => {
    try {
      write(event, details);
    } catch (error) {
      deps.say((error as Error).message);
    }
  };
  return { directory, read: () => inWords("read", () => readEvents(directory, pillar)), write, note };
}
