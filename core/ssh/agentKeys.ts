import { spawnSync } from "node:child_process";

/** Counts the keys in this shell's ssh agent; 0 if no agent answers. */
export function countAgentKeys(): number {
  if (!process.env.SSH_AUTH_SOCK) return 0;
  const { status, stdout } = spawnSync("ssh-add", ["-L"], { encoding: "utf8", timeout: 5000 });
  return status === 0 ? stdout.trim().split("\n").length : 0;
}

/** Most hosts end a login after 6 keys (MaxAuthTries of sshd), and only ssh itself can use keys of these two kinds. */
export const agentNeeds =
  "see the ssh agent's keys with ssh-add -l: the right key must be among the first 5, and no key of a hardware token or certificate";
