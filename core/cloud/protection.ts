import type { CloudServer } from "./power";
import { call, type PowerDeps, refused } from "./power";

// https://docs.hetzner.cloud/reference/cloud, as of November 2026. DigitalOcean has nothing of the kind.
const provider = "hetzner";

const tries = 180;
const pause = 1000;

/** True if the provider protects the server against deletion; false if the server is gone. @throws Error in words */
export async function isProtected(server: CloudServer, deps: PowerDeps): Promise<boolean> {
  return server.provider === provider && (await seen(server, deps)).isOn;
}

async function seen(server: CloudServer, deps: PowerDeps): Promise<{ isOn: boolean; isLocked: boolean }> {
  const { status, body } = await call(server, "GET", `/servers/${server.id}`, undefined, deps);
  if (status === 404) return { isOn: false, isLocked: false };
  const found = (body as { server?: { protection?: { delete?: unknown }; locked?: unknown } } | null)?.server;
  const isOn = found?.protection?.delete;
  if (status !== 200 || typeof isOn !== "boolean")
    throw new Error(refused(server, "does not tell the server's protection", status));
  return { isOn, isLocked: found?.locked === true };
}

/** Sets or lifts the provider's protection against deletion, and waits until it is so. @returns whether it changed @throws Error in words */
export async function setProtection(server: CloudServer, isOn: boolean, deps: PowerDeps): Promise<boolean> {
  if (server.provider !== provider) return false;
  // They must be equal.
  const body = { delete: isOn, rebuild: isOn };
  let isChanged = false;
  for (let left = tries; left > 0; left -= 1) {
    const found = await seen(server, deps);
    if (found.isOn === isOn && (isOn || !found.isLocked)) return isChanged;
    if (found.isOn !== isOn) {
      isChanged = true;
      const { status } = await call(server, "POST", `/servers/${server.id}/actions/change_protection`, body, deps);
      // The server is busy with another action: try again after it.
      if (status >= 300 && ![409, 423].includes(status))
        throw new Error(refused(server, `does not ${isOn ? "set" : "lift"} the server's protection`, status));
    }
    await deps.sleep(pause);
  }
  throw new Error(
    `server ${server.id} at ${provider} is ${isOn ? "not protected" : "still protected, or held by another action,"} after ${(tries * pause) / 1000} s`,
  );
}
