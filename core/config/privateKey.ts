import { release } from "node:os";
import { basename } from "node:path";
import ssh2 from "ssh2";
import { readSmallFile } from "../util/readSmallFile.ts";
import { resolvePath } from "../util/resolvePath.ts";

export const isPrivateKey = (text: string) => /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text);

/** `locked`: the key has a pass phrase, and none was given. */
type KeyState = "opens" | "locked" | "wrongPhrase" | "unreadable";

export function checkPrivateKey(text: string, phrase?: string): KeyState {
  const parsed = ssh2.utils.parseKey(text, phrase);
  if (!(parsed instanceof Error)) return "opens";
  if (/no passphrase/i.test(parsed.message)) return "locked";
  return phrase !== undefined && /passphrase|decrypt|integrity|bad|malformed/i.test(parsed.message)
    ? "wrongPhrase"
    : "unreadable";
}

export type KeyFileFault = Readonly<Record<"wrong" | "needed", string>>;

export const someKeyFile = "the file of a private ssh key, such as ~/.ssh/id_ed25519";

/** Formats what a key's file must be. In WSL, chmod does nothing to a file on a disk of Windows. */
export const formatOwnFile = (file: string, system = release()) =>
  /microsoft/i.test(system) && file.startsWith("/mnt/")
    ? `a file in your Linux home, where chmod works: cp ${file} ~/.ssh/ && chmod 600 ~/.ssh/${basename(file)}`
    : `a file for you alone: chmod 600 ${file}`;

const openSshKey = "a key in OpenSSH's form: in PuTTYgen load it, then Conversions, Export OpenSSH key";

/** Reads a private key's file, and does not open the key: it may need a pass phrase, or be cut off. */
export function readKeyFile(file: string): { readonly text: string } | { readonly fault: KeyFileFault } {
  const path = resolvePath(file);
  const read = readSmallFile(path);
  if ("problem" in read) return { fault: { wrong: read.problem, needed: someKeyFile } };
  const { text, exposed } = read.value;
  if (text.startsWith("PuTTY-User-Key-File"))
    return { fault: { wrong: "is PuTTY's form of a key", needed: openSshKey } };
  if (!isPrivateKey(text)) return { fault: { wrong: "is no private ssh key", needed: someKeyFile } };
  return exposed === undefined ? { text } : { fault: { wrong: exposed, needed: formatOwnFile(path) } };
}
