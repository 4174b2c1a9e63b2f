import { existsSync } from "node:fs";
import { checkPrivateKey, type KeyFileFault, readKeyFile, someKeyFile } from "../../core/config/privateKey";
import { resolvePath } from "../../core/util/resolvePath";

/** The usual names, the best first. */
const names = ["id_ed25519", "id_ecdsa", "id_rsa"];

/** The usual files of private keys that this machine has, as they are written in a stack's file. */
export function listKeyFiles(): string[] {
  return names.map((name) => `~/.ssh/${name}`).filter((file) => existsSync(resolvePath(file)));
}

/** What is wrong with the file of a private key; undefined for one that opens, or that has a pass phrase. */
export function checkKeyFile(file: string): KeyFileFault | undefined {
  const found = readKeyFile(file);
  if ("fault" in found) return found.fault;
  return checkPrivateKey(found.text) === "unreadable"
    ? { wrong: "can't be read as a key: cut off, of a hardware token, or of an unknown kind?", needed: someKeyFile }
    : undefined;
}

/** Whether the key in a file has a pass phrase. */
export function hasPassphrase(file: string): boolean {
  const found = readKeyFile(file);
  return "text" in found && checkPrivateKey(found.text) === "locked";
}
