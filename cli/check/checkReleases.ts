import { newerRelease } from "../../core/chain/newerRelease";
import type { ReleaseSource } from "../../core/config/releaseSchema";
import { releaseHashFault } from "../../core/orchestrator/checks/releaseHash";
import { askFault } from "../../core/util/ask";
import { command } from "../../core/util/shownLine";
import type { StackSource } from "../status/openStack";
import { amiss, type CheckRow, good, later } from "./checkRow";

const limit = 15_000;

export async function checkRelease(program: string, release: ReleaseSource | undefined): Promise<CheckRow[]> {
  if (release === undefined) return [];
  const topic = `${program}'s release`;
  try {
    const head = await ask(release.url, "HEAD");
    // Signed addresses refuse to be asked for their headers alone: then some bytes are asked for.
    const { status } = head.ok ? head : await ask(release.url, "GET");
    const newer = program === "controller" ? await newerRelease(release.url) : undefined;
    if (status < 400 || status === 416)
      return [good(topic, `${release.url} answers ${status}`, ...(newer ? [command(`a newer one is ${newer}`)] : []))];
    return [amiss(topic, `${release.url} answers ${status}`, "needed: 200. Compare it with the release page")];
  } catch (error) {
    const found = askFault(error, limit);
    // The host is the one that downloads: it may reach what this machine does not.
    return [later(topic, `${release.url} is not reached from this machine (${found}); the host is asked, too`)];
  }
}

export async function checkReleaseHash({ stack, config, state }: StackSource): Promise<CheckRow[]> {
  if (config.lifecycle !== "active") return [];
  const fault = await releaseHashFault(config, stack, state.shown?.signer !== undefined);
  return fault === undefined ? [] : [amiss("orchestrator's release", fault)];
}

async function ask(url: string, method: "HEAD" | "GET"): Promise<{ ok: boolean; status: number }> {
  const headers = method === "GET" ? { range: "bytes=0-59" } : {};
  const response = await fetch(url, { method, headers, signal: AbortSignal.timeout(limit) });
  await response.body?.cancel();
  return { ok: response.ok, status: response.status };
}
