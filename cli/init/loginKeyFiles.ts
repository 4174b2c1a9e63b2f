import { existsSync } from "node:fs";
import { checkPrivateKey, type KeyFileFault, readKeyFile, someKeyFile } from "../../core/config/privateKey";
import { resolvePath } from "../../core/util/resolvePath";

/** The usual names of private key files, the preferred one first. */
const names = ["id_ed25519", "id_ecdsa", "id_rsa"];

/** Lists the usual private key files that exist on this machine, as paths for a stack's file. */
export function listKeyFiles(): string[] {
  return names.map((name) => `~/.ssh/${name}`).filter((file) => existsSync(resolvePath(file)));
}

/** Returns the fault of a private key file; undefined if the key can be read or has a pass phrase. */
export function checkKeyFile(file: string): KeyFileFault | undefined {
  const found = readKeyFile(file);
  if ("fault" in found) return found.fault;
  return checkPrivateKey(found.text) === "unreadable"
    ? { wrong: "can't be read as a key: truncated, of a hardware token, or of an unknown kind?", needed: someKeyFile }
    : undefined;
}

export function hasPassphrase(file: string): boolean {
  const found = readKeyFile(file);
  return "text" in found && checkPrivateKey(found.text) === "locked";
}
