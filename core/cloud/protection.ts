import type { CloudServer } from "./power";
import { callApi, formatPowerRefusal, type PowerDeps } from "./power";

// https://docs.hetzner.cloud/reference/cloud, as of November 2026. DigitalOcean has nothing of the kind.
const provider = "hetzner";

const maxPolls = 180;
const pollIntervalMs = 1000;

/** True if the provider protects the server against deletion; false if it is gone. @throws Error in words */
export async function isProtected(server: CloudServer, deps: PowerDeps): Promise<boolean> {
  return server.provider === provider && (await readProtection(server, deps)).isOn;
}

async function readProtection(server: CloudServer, deps: PowerDeps): Promise<{ isOn: boolean; isLocked: boolean }> {
  const { status, body } = await callApi(server, { method: "GET", path: `/servers/${server.id}` }, deps);
  if (status === 404) return { isOn: false, isLocked: false };
  const found = (body as { server?: { protection?: { delete?: unknown }; locked?: unknown } } | null)?.server;
  const isOn = found?.protection?.delete;
  if (status !== 200 || typeof isOn !== "boolean")
    throw new Error(formatPowerRefusal(server, "does not tell the server's protection", status));
  return { isOn, isLocked: found?.locked === true };
}

/** Sets or lifts the protection, and waits until it is so. Returns whether it changed. @throws Error in words */
export async function setProtection(server: CloudServer, isOn: boolean, deps: PowerDeps): Promise<boolean> {
  if (server.provider !== provider) return false;
  // They must be equal.
  const body = { delete: isOn, rebuild: isOn };
  let isChanged = false;
  for (let left = maxPolls; left > 0; left -= 1) {
    const found = await readProtection(server, deps);
    if (found.isOn === isOn && (isOn || !found.isLocked)) return isChanged;
    if (found.isOn !== isOn) {
      isChanged = true;
      const { status } = await callApi(
        server,
        { method: "POST", path: `/servers/${server.id}/actions/change_protection`, body },
        deps,
      );
      // The server is busy with another action: try again after it.
      if (status >= 300 && ![409, 423].includes(status))
        throw new Error(
          formatPowerRefusal(server, `does not ${isOn ? "set" : "lift"} the server's protection`, status),
        );
    }
    await deps.sleep(pollIntervalMs);
  }
  const waited = `after ${(maxPolls * pollIntervalMs) / 1000} s, ${provider} still`;
  throw new Error(
    isOn
      ? `${waited} does not protect server ${server.id}`
      : `${waited} protects server ${server.id}, or runs another action on it`,
  );
}
