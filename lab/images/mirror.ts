import { execa } from "execa";

/** Where this machine's own apt gets Debian from: the lab's hosts use the same. */
export interface Mirror {
  readonly debian: string;
  readonly security: string;
}

/**
 * Picks the Debian mirror out of what apt knows as the addresses of its sources, a line each.
 *
 * @throws when apt knows no Debian mirror over http or https
 */
export function parseMirror(indexTargets: string): Mirror {
  const uris = [...new Set(indexTargets.split("\n").map((line) => line.trim().replace(/\/+$/, "")))];
  const debian = uris.find((uri) => /^https?:\/\/.*\/debian$/.test(uri));
  if (!debian) {
    throw new Error(
      `the lab's hosts are Debian, and this machine's apt sources name no Debian mirror (found: ${uris.filter(Boolean).join(", ") || "none"}).\n` +
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
  return parseMirror((await sourcesOf()).join("\n"));
}

/** Returns the addresses of the package sources of this machine, or of another root file system. */
export async function sourcesOf(root?: string): Promise<string[]> {
  const apt = `${root ?? ""}/etc/apt`;
  const lists = ["-o", `Dir::Etc::sourcelist=${apt}/sources.list`, "-o", `Dir::Etc::sourceparts=${apt}/sources.list.d`];
  const noLists = [...lists, "-o", "Dir::State::Lists=/nonexistent", "--no-release-info"];
  const { stdout } = await execa("apt-get", ["indextargets", ...noLists, "--format", "$(REPO_URI)"]);
  return [...new Set(stdout.split("\n").filter(Boolean))];
}
