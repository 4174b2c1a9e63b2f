import { sendRequest } from "../util/sendRequest.ts";
import { compareNodeVersions } from "./versions.ts";

/** Returns a text about a newer release than the one at a GitHub address; undefined if none is found. */
export async function findNewerRelease(url = ""): Promise<string | undefined> {
  const [, repository, tag = ""] =
    /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/releases\/download\/([^/]+)\//.exec(url) ?? [];
  if (repository === undefined) return undefined;
  const latest = await readLatestTag(repository);
  if (latest === undefined || (compareNodeVersions(latest, tag) ?? 0) <= 0) return undefined;
  return `${latest}, where ${tag} is configured: https://github.com/${repository}/releases/tag/${latest}`;
}

async function readLatestTag(repository: string): Promise<string | undefined> {
  try {
    const headers = { accept: "application/vnd.github+json", "user-agent": "pillar-host" };
    const { text } = await sendRequest(`https://api.github.com/repos/${repository}/releases/latest`, { headers }, 3000);
    const { tag_name: tag } = JSON.parse(text) as { tag_name?: unknown };
    return typeof tag === "string" && /^[\w.+-]+$/.test(tag) ? tag : undefined;
  } catch {
    return undefined;
  }
}
