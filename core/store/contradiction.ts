import path from "node:path";
import { type Commands, commandsFor } from "../util/commands";
import { operatorFault } from "../util/plainFault";

/** A directory of records, and the key that opens its backups; absolute. */
export interface StorePlace {
  readonly records: string;
  readonly key: string;
}

/** Where an earlier version kept a Pillar's records, and where they are kept now. */
export interface RecordPlaces {
  readonly pillar: string;
  readonly old: StorePlace;
  readonly own: StorePlace;
}

/** A fault's text, or what makes it with the commands of the stack that meets it: a place of records may be that of several. */
export type StoreFaultText = string | ((run: Commands) => string);

interface StoreFault extends Error {
  readonly storeFaultText: StoreFaultText;
}

/**
 * That records can't be told from what lies there, in the operator's words. Marked instead of a class of its own: the code of
 * dynamic resources, which is stored as text, loses the words of one.
 *
 * @param stack that meets it, as far as it is known
 */
export function storeFault(storeFaultText: StoreFaultText, stack = "STACK"): Error {
  const message = typeof storeFaultText === "string" ? storeFaultText : storeFaultText(commandsFor(stack));
  return Object.assign(operatorFault(message), { storeFaultText });
}

/** Whether an error is such a fault (pure). */
export function isStoreFault(error: unknown): error is StoreFault {
  return error instanceof Error && "storeFaultText" in error;
}

/** Opens what may be faulty, for a stack, which the fault's commands then name. @throws storeFault */
export function ofStack<T>(stack: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw isStoreFault(error) ? storeFault(error.storeFaultText, stack) : error;
  }
}

/** What lies in the checkout is not what lies in the user's data directory, and neither follows from the other. */
export function contradiction({ pillar, old, own }: RecordPlaces, found: string): Error {
  return storeFault(
    [
      `the records of ${pillar} lie in two places on this machine, and contradict each other; nothing was changed`,
      `  found: ${found}`,
      "  needed: one of them for each stack. For a stack whose records are those of the checkout, move them to a place of",
      `  their own, and name it: mv ${old.records} DIRECTORY && ${commandsFor("ITS_NAME").set("orchestrator.backup.directory", "DIRECTORY")}`,
      `  (and the key with them, to DIRECTORY.age-identity: ${old.key})`,
      `  For all others nothing but ${own.records} is then read`,
    ].join("\n"),
  );
}

/** A link of the operator's in the checkout: where it leads is where the records are to stay. */
export function ownLinkText(pillar: string, link: string, target: string): StoreFaultText {
  return (run) =>
    [
      `the records of ${pillar} are kept in ${path.join("backups", pillar)} of the program's directory no more; nothing was changed`,
      `  found: ${link}, a link to ${target}`,
      `  needed: that place by its name: ${run.set("orchestrator.backup.directory", target)}`,
      `  Then: rm ${link}`,
    ].join("\n");
}

/** The link that a take-over left leads nowhere. */
export function lostText(pillar: string, link: string, target: string): string {
  return [
    `the records of ${pillar} are not where they were brought to; nothing was changed`,
    `  found: ${link} leads to ${target}, where nothing lies`,
    "  needed: that directory: a disk that is not mounted, or another user's? Without it guards know less than they should",
    `  Are they lost for good: rm ${link}`,
  ].join("\n");
}

/** The environment of this run names another data directory than that of the run that took the records over. */
export function elsewhereText(pillar: string, target: string, own: string): StoreFaultText {
  return (run) =>
    [
      `the records of ${pillar} are in another place than where this run looks for them; nothing was changed`,
      `  found: ${target} by the checkout, ${own} by HOME and XDG_DATA_HOME of this run`,
      "  needed: the environment in which they were made (as cron, sudo and services have another one), or the place by its",
      `  name: ${run.set("orchestrator.backup.directory", target)}`,
    ].join("\n");
}

/** What the disk had to say. */
export function takeOverFault(
  { pillar, old, own }: RecordPlaces,
  { code, message }: NodeJS.ErrnoException,
): StoreFaultText {
  const full = code === "ENOSPC" || code === "EDQUOT";
  return (run) =>
    [
      `the records of ${pillar} could not be brought from the program's directory to ${own.records}; they lie where they were`,
      `  found: ${full ? "the disk is full" : message}`,
      `  needed: room, and directories that may be read and written: ${old.records}, ${own.records}`,
      `  Or keep them elsewhere: ${run.set("orchestrator.backup.directory", "DIRECTORY")}, and mv ${old.records} DIRECTORY`,
    ].join("\n");
}
