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

export function formatAgentFindings(keys: readonly string[] | undefined): string[] {
  if (keys === undefined)
    return ["found: no ssh agent answers here (SSH_AUTH_SOCK): eval $(ssh-agent) && ssh-add FILE"];
  const unusable = keys.filter((kind) => kind.includes("@"));
  const count = keys.length - unusable.length;
  return [
    ...(count < maxTries
      ? []
      : [
          `found: the ssh agent offers ${count} keys, and most hosts end a login after ${maxTries}: name the right key's file`,
        ]),
    ...(unusable.length === 0
      ? []
      : [
          `found: keys in the ssh agent that only ssh itself can use: ${[...new Set(unusable)].join(", ")}`,
          "needed: an ordinary key for this host beside the hardware token or certificate (ssh-keygen -t ed25519)",
        ]),
  ];
}
