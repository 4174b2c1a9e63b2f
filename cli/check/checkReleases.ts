import { findNewerRelease } from "../../core/chain/newerRelease";
import type { ReleaseSource } from "../../core/config/releaseSchema";
import { releaseHashFault } from "../../core/orchestrator/checks/releaseHash";
import { formatRequestError } from "../../core/util/sendRequest";
import type { StackInfo } from "../status/openStack";
import { type CheckRow, fail, pass, pending } from "./checkRow";

const requestTimeoutMs = 15_000;

export async function checkRelease(program: string, release: ReleaseSource | undefined): Promise<CheckRow[]> {
  if (release === undefined) return [];
  const topic = `${program}'s release`;
  try {
    const head = await request(release.url, "HEAD");
    // A signed URL refuses HEAD requests, so request its first bytes.
    const { status } = head.ok ? head : await request(release.url, "GET");
    const newer = program === "controller" ? await findNewerRelease(release.url) : undefined;
    if (status < 400 || status === 416)
      return [pass(topic, `${release.url} answers ${status}`, ...(newer ? [`newer release: ${newer}`] : []))];
    return [fail(topic, `${release.url} answers ${status}`, "needed: compare the address with the release page")];
  } catch (error) {
    const found = formatRequestError(error, requestTimeoutMs);
    // No fault: the host downloads the release, and may reach addresses that this machine can't.
    return [pending(topic, `${release.url} can't be reached from this machine (${found}); the host tries it, too`)];
  }
}

export async function checkReleaseHash({ stack, config, state }: StackInfo): Promise<CheckRow[]> {
  if (config.lifecycle !== "active") return [];
  const fault = await releaseHashFault(config, stack, state.lastRun?.orchestratorHost !== undefined);
  return fault === undefined ? [] : [fail("orchestrator's release", fault)];
}

async function request(url: string, method: "HEAD" | "GET"): Promise<{ ok: boolean; status: number }> {
  const headers = method === "GET" ? { range: "bytes=0-59" } : {};
  const response = await fetch(url, { method, headers, signal: AbortSignal.timeout(requestTimeoutMs) });
  await response.body?.cancel();
  return { ok: response.ok, status: response.status };
}
