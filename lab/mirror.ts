import { execa } from "execa";

/** Where this machine's own apt gets Debian from: the lab's hosts use the same, for Debian 11. */
export interface Mirror {
  readonly debian: string;
  readonly security: string;
}

/**
 * Picks the Debian mirror out of `apt-get indextargets --format '$(REPO_URI)'` (pure).
 *
 * @throws when apt knows no Debian mirror over http or https
 */
export function parseMirror(indexTargets: string): Mirror {
  const uris = [...new Set(indexTargets.split("\n").map((line) => line.trim().replace(/\/+$/, "")))];
  const debian = uris.find((uri) => /^https?:\/\/.*\/debian$/.test(uri));
  if (!debian) {
    throw new Error(
      `the lab's hosts are Debian 11, and this machine's apt sources name no Debian mirror (found: ${uris.filter(Boolean).join(", ") || "none"}).\n` +
        "Run `apt-get update`, or add a Debian mirror to the apt sources, and try again.",
    );
  }
  return { debian, security: uris.find((uri) => /\/debian-security$/.test(uri)) ?? `${debian}-security` };
}

/** Reads this machine's apt sources; makes the index first where there is none yet. */
export async function findMirror(): Promise<Mirror> {
  const targets = () => execa("apt-get", ["indextargets", "--format", "$(REPO_URI)"]);
  if ((await targets()).stdout.trim() === "") await execa("apt-get", ["update"]);
  return parseMirror((await targets()).stdout);
}
