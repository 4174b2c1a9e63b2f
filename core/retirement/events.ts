import {
  addToJourney,
  type JourneyDetails,
  type JourneyEntry,
  type JourneyEvent,
  readJourney,
} from "../eventLog/eventLog";
import { placeOf } from "../util/resolvePath";
import type { RetirementInputs } from "./inputs";

/** What is written down, and where. */
export interface Book {
  readonly directory: string;
  /** @throws in words */
  read(): JourneyEntry[];
  /** @throws in words: what must be written down is not done without */
  write<E extends JourneyEvent>(event: E, details: JourneyDetails[E]): void;
  /** Says so where it can't be written. */
  note<E extends JourneyEvent>(event: E, details: JourneyDetails[E]): void;
}

/** The record of a migration, for a destroy. */
export function bookOf(
  { backup, stack, pillar }: RetirementInputs,
  world: { now(): number; say(line: string): void },
): Book {
  const directory = placeOf(backup.directory);
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
  const write: Book["write"] = (event, details) =>
    inWords("written", () =>
      addToJourney(directory, {
        ...{ at: new Date(world.now()).toISOString(), stack, pillar, event, details },
      } as Parameters<typeof addToJourney>[1]),
    );
  const note: Book["note"] = (event, details) => {
    try {
      write(event, details);
    } catch (error) {
      world.say((error as Error).message);
    }
  };
  return { directory, read: () => inWords("read", () => readJourney(directory, pillar)), write, note };
}
