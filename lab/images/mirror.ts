import { join } from "node:path";
import { execa } from "execa";

/** Debian mirror of this machine's own apt. The lab's hosts use it, too. */
export interface Mirror {
  readonly debian: string;
  readonly security: string;
}

/**
 * Picks the Debian mirror from the URLs of apt's sources, one per line.
 * @throws if apt has no Debian mirror over http or https
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
 * Reads the Debian mirror from this machine's apt sources. apt gets no package lists: without a cache, as in a
 * container, it would read all of them each time, which takes a second.
 */
export async function findMirror(): Promise<Mirror> {
  return parseMirror((await sourcesOf("/")).join("\n"));
}

/** Returns the URLs of the package sources of a root file system. */
export async function sourcesOf(root: string): Promise<string[]> {
  const apt = join(root, "etc/apt");
  const lists = ["-o", `Dir::Etc::sourcelist=${apt}/sources.list`, "-o", `Dir::Etc::sourceparts=${apt}/sources.list.d`];
  const noLists = [...lists, "-o", "Dir::State::Lists=/nonexistent", "--no-release-info"];
  const { stdout } = await execa("apt-get", ["indextargets", ...noLists, "--format", "$(REPO_URI)"]);
  return [...new Set(stdout.split("\n").filter(Boolean))];
}
