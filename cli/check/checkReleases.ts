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
    // Requests the first bytes, because a signed URL refuses HEAD requests.
    const headers = { range: "bytes=0-59" };
    const { status, body } = await fetch(release.url, { headers, signal: AbortSignal.timeout(requestTimeoutMs) });
    await body?.cancel();
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
