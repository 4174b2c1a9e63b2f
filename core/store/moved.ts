import fs from "node:fs";
import path from "node:path";
import { syncDirectory, writeWhole } from "../util/writeAtomically";
import { eventLogFile } from "./directoryStore";
import type { StoreFaultText } from "./storeFault";

/** What tells that a directory's event log goes on in a bucket; its address is in it. */
const marker = (directory: string) => path.join(directory, "moved-to");

/** The address of the bucket where a directory's event log goes on. @throws where that can't be told */
export function movedTo(directory: string): string | undefined {
  try {
    return fs.readFileSync(marker(directory), "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Sets a directory's event log aside, which goes on in a bucket; killed anywhere, it is done again. */
export function markMoved(directory: string, address: string): void {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (movedTo(directory) === undefined) writeWhole(marker(directory), `${address}\n`);
  const log = eventLogFile(directory);
  if (fs.existsSync(log)) fs.renameSync(log, `${log}.moved`);
  syncDirectory(directory);
}

/** The configuration does not name the bucket. */
export function movedAwayText(directory: string, address: string): StoreFaultText {
  return (run) =>
    [
      `the records in ${directory} were moved to a bucket, and go on there; nothing was changed`,
      `  found: ${address} by ${marker(directory)}, and no pillar-host:store in this stack's configuration`,
      `  needed: ${run.set("store", address)}`,
    ].join("\n");
}

/** The configuration names a bucket, and this machine has a record that is not in it. */
export function notMovedText(directory: string, bucket: string): StoreFaultText {
  return (run) =>
    [
      `the records of this machine are not in the store that is configured; nothing was changed`,
      `  found: ${eventLogFile(directory)}, beside ${bucket}`,
      `  needed: all of them in one place: ${run.moveStore("ADDRESS")}, with the address of pillar-host:store`,
    ].join("\n");
}
