import { execa } from "execa";

/** Where this machine's own apt gets Debian from: the lab's hosts use the same, for Debian 11. */
export interface Mirror {
  readonly debian: string;
  readonly security: string;
}

/**
 * Picks the Debian mirror out of what apt knows as the addresses of its sources, a line each (pure).
 *
 * @throws when apt knows no Debian mirror over http or https
 */
export function parseMirror(indexTargets: string): Mirror {
  const uris = [...new Set(indexTargets.split("\n").map((line) => line.trim().replace(/\/+$/, "")))];
  const debian = uris.find((uri) => /^https?:\/\/.*\/debian$/.test(uri));
  if (!debian) {
    throw new Error(
      `the lab's hosts are Debian 11, and this machine's apt sources name no Debian mirror (found: ${uris.filter(Boolean).join(", ") || "none"}).\n` +
        "Add a Debian mirror to the apt sources, and try again.",
    );
  }
  return { debian, security: uris.find((uri) => /\/debian-security$/.test(uri)) ?? `${debian}-security` };
}

/**
 * Reads this machine's apt sources. Of the packages in them apt is told nothing: where it keeps no cache, as in a
 * container, it would read all of their lists each time, for a second.
 */
export async function findMirror(): Promise<Mirror> {
  const noLists = ["-o", "Dir::State::Lists=/nonexistent", "--no-release-info"];
  const { stdout } = await execa("apt-get", ["indextargets", ...noLists, "--format", "$(REPO_URI)"]);
  return parseMirror(stdout);
}
