import { ignoreStatuses } from "./http";
import { type CloudServer, formatMissingField, openServer, type PowerDeps } from "./power";

// https://docs.hetzner.cloud/reference/cloud, as of November 2026. DigitalOcean has no such protection.
const provider = "hetzner";

const maxPolls = 180;
const pollIntervalMs = 1000;

/** True if the provider protects the server against deletion; false if the server is gone. @throws Error */
export async function isProtected(server: CloudServer, deps: PowerDeps): Promise<boolean> {
  return server.provider === provider && (await readProtection(server, deps)).isOn;
}

async function readProtection(server: CloudServer, deps: PowerDeps): Promise<{ isOn: boolean; isLocked: boolean }> {
  const fields = await openServer(server, deps).read();
  if (fields === undefined) return { isOn: false, isLocked: false };
  const isOn = fields.protection?.delete;
  if (typeof isOn !== "boolean") throw new Error(formatMissingField(server, "protection"));
  return { isOn, isLocked: fields.locked === true };
}

/** Sets or lifts the protection, and waits for the effect. @returns whether it changed. @throws Error for operators */
export async function setProtection(server: CloudServer, isOn: boolean, deps: PowerDeps): Promise<boolean> {
  if (server.provider !== provider) return false;
  const { act } = openServer(server, deps);
  let isChanged = false;
  for (let left = maxPolls; left > 0; left -= 1) {
    const found = await readProtection(server, deps);
    if (found.isOn === isOn && (isOn || !found.isLocked)) return isChanged;
    if (found.isOn !== isOn) {
      isChanged = true;
      // The values for delete and rebuild must be equal. Tries again later if the server is busy (409, 423).
      await act("/actions/change_protection", { delete: isOn, rebuild: isOn }).catch(ignoreStatuses(409, 423));
    }
    await deps.sleep(pollIntervalMs);
  }
  const problem = isOn
    ? `does not protect server ${server.id}`
    : `protects server ${server.id}, or runs another action on it`;
  throw new Error(`after ${(maxPolls * pollIntervalMs) / 1000} s, ${provider} still ${problem}`);
}
