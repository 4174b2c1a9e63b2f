import { basename } from "node:path";
import ssh2 from "ssh2";
import { readSmallFile } from "../util/readSmallFile.ts";
import { resolvePath } from "../util/resolvePath.ts";

export const isPrivateKey = (text: string) => /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text);

/** `locked`: the key has a pass phrase, and none was given. */
type KeyState = "opens" | "locked" | "wrongPhrase" | "unreadable";

/** Matches the begin of an OpenSSH key that the command plugin opens, too: ssh2 knows more ciphers. */
const pluginCipher = /^openssh-key-v1\0.{4}(none|aes256-(ctr|cbc))\0/s;

export function checkPrivateKey(text: string, phrase?: string): KeyState {
  const parsed = ssh2.utils.parseKey(text, phrase);
  const [, body] = /-BEGIN OPENSSH PRIVATE KEY-+([^-]*)/.exec(text) ?? [];
  if (body && !pluginCipher.test(Buffer.from(body, "base64").toString("latin1"))) return "unreadable";
  if (!(parsed instanceof Error)) return "opens";
  if (/no passphrase/i.test(parsed.message)) return "locked";
  return phrase !== undefined && /passphrase|decrypt|integrity|bad|malformed/i.test(parsed.message)
    ? "wrongPhrase"
    : "unreadable";
}

export type KeyFileFault = Readonly<Record<"wrong" | "needed", string>>;

export const someKeyFile = "the file of a private ssh key (without .pub), such as ~/.ssh/id_ed25519";

/** Formats what a key's file must be. On a disk of Windows, or of another machine, chmod may do nothing. */
export const formatOwnFile = (file: string) =>
  `a file for you alone: chmod 600 ${file} (if that changes nothing, its disk keeps no modes. Name a copy in your Linux home: cp ${file} ~/.ssh/ && chmod 600 ~/.ssh/${basename(file)})`;

/** Formats why a key can't be used. `file`: its path in a command. */
export function describeUnreadableKey(text: string, file = "FILE"): KeyFileFault {
  const parsed = ssh2.utils.parseKey(text);
  if (parsed instanceof Error && parsed.message.includes("key type: sk-"))
    return {
      wrong: "is a key of a hardware token, which only ssh itself can use",
      needed: "a key without a token: ssh-keygen -t ed25519",
    };
  const needed = `a whole key in OpenSSH's form: ssh-keygen -p -f ${file} rewrites it so, if ssh itself can read it`;
  return { wrong: "can't be read as a key", needed };
}

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
