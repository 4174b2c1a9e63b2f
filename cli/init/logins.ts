import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import ssh2 from "ssh2";
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
export function keyFileFault(file: string): string | undefined {
  try {
    const parsed = ssh2.utils.parseKey(readFileSync(resolvePath(file), "utf8"));
    if (parsed instanceof Error) return hasPhrase(parsed) ? undefined : "is no private ssh key";
    return [parsed].flat().every((key) => key.isPrivateKey())
      ? undefined
      : "is a public key: needed the file without .pub";
  } catch (error) {
    return `can't be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

const hasPhrase = (error: Error) => /no passphrase/i.test(error.message);

/** Whether the key in a file has a pass phrase. */
export function isLocked(file: string): boolean {
  const parsed = ssh2.utils.parseKey(readFileSync(resolvePath(file), "utf8"));
  return parsed instanceof Error && hasPhrase(parsed);
}
