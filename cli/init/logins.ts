import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type KeyFileFault, keyState, readKeyFile, someKeyFile } from "../../core/config/privateKey";
import { resolvePath } from "../../core/util/resolvePath";

/** The usual names, the best first. */
const names = ["id_ed25519", "id_ecdsa", "id_rsa"];

/** The usual files of private keys that this machine has, as they are written in a stack's file. */
export function foundKeyFiles(): string[] {
  return names.map((name) => `~/.ssh/${name}`).filter((file) => existsSync(resolvePath(file)));
}

/** How many keys the ssh agent of this shell holds; undefined where there is no agent. */
export function agentKeys(): number | undefined {
  if (!process.env.SSH_AUTH_SOCK) return undefined;
  const { status, stdout } = spawnSync("ssh-add", ["-l"], { encoding: "utf8", timeout: 5000 });
  if (status === 0) return stdout.trim().split("\n").length;
  return status === 1 ? 0 : undefined;
}

/** What is wrong with the file of a private key; undefined for one that opens, or that has a pass phrase. */
export function keyFileFault(file: string): KeyFileFault | undefined {
  const found = readKeyFile(file);
  if ("fault" in found) return found.fault;
  return keyState(found.text) === "unreadable"
    ? { wrong: "can't be read as a key: cut off, or of an unknown kind?", needed: someKeyFile }
    : undefined;
}

/** Whether the key in a file has a pass phrase. */
export function isLocked(file: string): boolean {
  const found = readKeyFile(file);
  return "text" in found && keyState(found.text) === "locked";
}
