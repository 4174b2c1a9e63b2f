import { sendRequest } from "../util/sendRequest";
import { compareNodeVersions } from "./versions";

const asked = new Map<string, Promise<string | undefined>>();

/** Returns a text about a newer release than the one at a GitHub address; undefined if none is found. */
export function findNewerRelease(url = ""): Promise<string | undefined> {
  const [, repository, tag = ""] =
    /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/releases\/download\/([^/]+)\//.exec(url) ?? [];
  if (repository === undefined) return Promise.resolve(undefined);
  // Ask once per process: GitHub answers 60 requests an hour.
  const known =
    asked.get(url) ??
    latestTag(repository).then((latest) => {
      if (latest === undefined || (compareNodeVersions(latest, tag) ?? 0) <= 0) return undefined;
      return `${latest}, where ${tag} is configured: https://github.com/${repository}/releases/tag/${latest}`;
    });
  asked.set(url, known);
  return known;
}

async function latestTag(repository: string): Promise<string | undefined> {
  try {
    const headers = { accept: "application/vnd.github+json", "user-agent": "pillar-host" };
    const { text } = await sendRequest(`https://api.github.com/repos/${repository}/releases/latest`, { headers }, 3000);
    const { tag_name: tag } = JSON.parse(text) as { tag_name?: unknown };
    return typeof tag === "string" && /^[\w.+-]+$/.test(tag) ? tag : undefined;
  } catch {
    return undefined;
  }
}
