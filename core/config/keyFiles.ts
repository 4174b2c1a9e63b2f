import type { SmallFile } from "../util/readSmallFile";
import { resolvePath } from "../util/resolvePath";
import { project } from "./configFaults";
import { readKeyFile } from "./privateKey";
import { findValue, type Raw, setValue } from "./rawValues";

const logins = ["ssh", "orchestrator.migrateFrom", "retirement.successor", "sync.oldHost"].flatMap((block) => [
  block,
  `${block}.proxy`,
]);

/** Sets each block's `privateKey` to the text of its `privateKeyFile`. The result is secret. */
export function readKeyFiles(raw: Raw, read?: (path: string) => SmallFile): { raw: Raw; faults: string[] } {
  const faults: string[] = [];
  let values = raw;
  for (const block of logins) {
    const path = block.split(".");
    const file = findValue(values, [...path, "privateKeyFile"]);
    if (typeof file !== "string" || file === "") continue;
    const at = `${project}:${block}.privateKeyFile`;
    if (findValue(values, [...path, "privateKey"]) !== undefined) {
      faults.push(`${at}: found privateKey, too; needed one of the two`);
      continue;
    }
    const found = readKeyFile(file, read);
    if ("text" in found) values = setValue(values, [...path, "privateKey"], found.text);
    else faults.push(`${at}: ${resolvePath(file)} ${found.fault.wrong}; needed ${found.fault.needed}`);
  }
  return { raw: values, faults };
}
