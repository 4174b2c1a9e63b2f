import fs from "node:fs";
import { resolvePath } from "../util/resolvePath";
import { project } from "./configFaults";
import { type Raw, valueAt, withValue } from "./rawValues";

/** The blocks that have a login. */
const logins = ["ssh", "orchestrator.migrateFrom", "retirement.successor", "sync.oldHost"];

/**
 * The raw values with the text of each `privateKeyFile` as its block's `privateKey`, so that it is checked as one that
 * was pasted. It is read at run time, and goes into the state as a secret.
 *
 * @param read the text of a file. @throws where it can't be read
 */
export function withKeyFiles(
  raw: Raw,
  read: (path: string) => string = (path) => fs.readFileSync(path, "utf8"),
): { raw: Raw; faults: string[] } {
  const faults: string[] = [];
  let values = raw;
  for (const block of logins) {
    const path = block.split(".");
    const file = valueAt(values, [...path, "privateKeyFile"]);
    if (typeof file !== "string" || file === "") continue;
    const at = `${project}:${block}.privateKeyFile`;
    if (valueAt(values, [...path, "privateKey"]) !== undefined) {
      faults.push(`${at}: found privateKey, too; needed one of the two`);
      continue;
    }
    const { text, fault } = keyIn(file, read);
    if (fault !== undefined) faults.push(`${at}: ${fault}`);
    if (text !== undefined) values = withValue(values, [...path, "privateKey"], text);
  }
  return { raw: values, faults };
}

function keyIn(file: string, read: (path: string) => string): { text?: string; fault?: string } {
  const needed = "needed the file of a private ssh key, such as ~/.ssh/id_ed25519";
  const found = resolvePath(file);
  let text: string;
  try {
    text = read(found);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { fault: `${found} ${reasons[code ?? ""] ?? `can't be read (${code})`}; ${needed}` };
  }
  if (/^(ssh|ecdsa)-/.test(text.trim()))
    return { fault: `${found} is a public key, needed the private one: the file without .pub` };
  return /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text) ? { text } : { fault: `${found} is no ssh key; ${needed}` };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist on this machine",
  EACCES: "may not be read by you",
  EISDIR: "is a directory",
};
