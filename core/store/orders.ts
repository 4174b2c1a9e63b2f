import fs from "node:fs";
import path from "node:path";
import { lockedNow } from "../util/lockedNow";
import { storeFault } from "./contradiction";
import { recordsAt } from "./records";
import { kindOf } from "./takeOver";
import { copyWhole, type Disk, hashOf } from "./wholeCopy";

/** Whose orders they are. */
interface OrderedBy {
  readonly stack: string;
  readonly pillar: string;
}

/**
 * The name of the record of the orders of a stack's server, among the records of its Pillar. One that an earlier version left
 * beside the stack's file is brought there first.
 *
 * @param configured as of {@link recordsAt}
 * @throws storeFault where both are there, and say different things
 */
export function orderRecordName(configured: string, { stack, pillar }: OrderedBy, disk: Disk = fs): string {
  // Two Pillars may share a place, and their stacks have one name.
  const name = `orders-${stack}-${pillar}.json`;
  const file = path.join(recordsAt(configured), name);
  const old = path.resolve(`Pulumi.${stack}.attempts.json`);
  if (kindOf(old, disk) === "file") bring(old, file, disk);
  return name;
}

function bring(old: string, file: string, disk: Disk): void {
  try {
    disk.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const isBrought = lockedNow(path.join(path.dirname(file), `.${path.basename(file)}.lock`), (alive) => {
      // Another process may have done it while this one waited.
      if (kindOf(old, disk) === "nothing") return true;
      if (kindOf(file, disk) === "nothing") copyWhole(old, file, disk, alive);
      if (hashOf(old, disk) !== hashOf(file, disk)) return false;
      disk.rmSync(old);
      return true;
    });
    if (isBrought) return;
  } catch (error) {
    const { message } = error as Error;
    throw storeFault(
      `the record of a server's orders could not be brought to ${file}; it lies where it was, ${old}\n` +
        `  found: ${message}\n  needed: room, and directories that may be read and written`,
    );
  }
  throw storeFault(
    [
      "two records of the orders of this stack's server say different things; nothing was changed",
      `  found: ${old}, of an earlier version, and ${file}`,
      "  needed: one of them: look for servers of this stack in the provider's console, then remove the record that is wrong",
    ].join("\n"),
  );
}
