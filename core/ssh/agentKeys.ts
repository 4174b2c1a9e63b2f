import { spawnSync } from "node:child_process";

/** Returns the type of each key in this shell's ssh agent; undefined if no agent answers. */
export function readAgentKeyTypes(): string[] | undefined {
  if (!process.env.SSH_AUTH_SOCK) return undefined;
  const { status, stdout } = spawnSync("ssh-add", ["-L"], { encoding: "utf8", timeout: 5000 });
  if (status === 0)
    return stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" ")[0] ?? "");
  return status === 1 ? [] : undefined;
}

/** Keys that sshd accepts per login by default (MaxAuthTries). */
const maxTries = 6;

/** Returns what may keep an agent's keys from a login, as lines of a problem. */
export function findAgentProblems(keys: readonly string[] | undefined): { found: string[]; needed: string[] } {
  if (keys === undefined)
    return { found: ["no ssh agent answers here (SSH_AUTH_SOCK)"], needed: ["run: eval $(ssh-agent) && ssh-add FILE"] };
  const unusable = keys.filter((kind) => kind.includes("@"));
  const count = keys.length - unusable.length;
  const found: string[] = [];
  const needed: string[] = [];
  if (count >= maxTries) {
    found.push(`the ssh agent offers ${count} keys, and most hosts end a login after ${maxTries}`);
    needed.push("name the right key's file");
  }
  if (unusable.length > 0) {
    found.push(`keys in the ssh agent that only ssh itself can use: ${[...new Set(unusable)].join(", ")}`);
    needed.push("add an ordinary key for this host beside the hardware token or certificate (ssh-keygen -t ed25519)");
  }
  return { found, needed };
}
