import fs from "node:fs";
import ssh2 from "ssh2";
import { resolvePath } from "../util/resolvePath";

/** Whether a text is, or begins as, that of a private key's file (pure). */
export const looksPrivate = (text: string) => /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text);

/** Whether a text is that of a public key's file (pure). */
export const looksPublic = (text: string) => /^(ssh|ecdsa)-/.test(text.trim());

/** `locked`: it has a pass phrase, and none was given. */
export type KeyState = "opens" | "locked" | "wrongPhrase" | "unreadable";

/** What becomes of a private key's text where one tries to open it (pure). ssh2 tells the cases apart by words alone. */
export function keyState(text: string, phrase?: string): KeyState {
  const parsed = ssh2.utils.parseKey(text, phrase);
  if (!(parsed instanceof Error)) return "opens";
  if (/no passphrase/i.test(parsed.message)) return "locked";
  return phrase !== undefined && /passphrase|decrypt|integrity|bad|malformed/i.test(parsed.message)
    ? "wrongPhrase"
    : "unreadable";
}

/** What a file that is no private key's is, after its name, and what is needed in its place. */
export interface KeyFileFault {
  readonly wrong: string;
  readonly needed: string;
}

export const someKeyFile = "the file of a private ssh key, such as ~/.ssh/id_ed25519";

/**
 * The text of a private key's file, which may have a pass phrase, or be cut off.
 *
 * @param read the text of a file. @throws where it can't be read
 */
export function readKeyFile(
  file: string,
  read: (path: string) => string = (path) => fs.readFileSync(path, "utf8"),
): { readonly text: string } | { readonly fault: KeyFileFault } {
  let text: string;
  try {
    text = read(resolvePath(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { fault: { wrong: reasons[code ?? ""] ?? `can't be read (${code})`, needed: someKeyFile } };
  }
  if (looksPublic(text))
    return { fault: { wrong: "is a public key", needed: "the private one: the file without .pub" } };
  return looksPrivate(text) ? { text } : { fault: { wrong: "is no ssh key", needed: someKeyFile } };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist on this machine",
  EACCES: "may not be read by you",
  EISDIR: "is a directory",
};
