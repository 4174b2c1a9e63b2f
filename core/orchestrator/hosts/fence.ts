import { type CloudServer, readPowerState } from "../../cloud/power";
import { appendEvent, readMoveEvents } from "../../eventLog/eventLog";
import type { Fence } from "../../eventLog/events";
import type { MoveId } from "../../eventLog/moveId";
import { computeFingerprint } from "../../ssh/publicKey";
import type { SshTarget } from "../../ssh/ssh";
import type { Store } from "../../store/store";
import type { Clock } from "../../util/clock";
import { findFence, findFenceFault } from "../rules/moveHistory";

/** Gives a run the provider's token, with which it reads that a fenced server is still off. Secret. */
export const fenceTokenVariable = "PILLAR_HOST_FENCE_TOKEN";
const endpointVariable = "PILLAR_HOST_FENCE_ENDPOINT";

/** Returns the environment of a run that reads whether a fenced server is still off. */
export const createFenceEnvironment = ({ token, endpoint = "" }: CloudServer) => ({
  [fenceTokenVariable]: token,
  [endpointVariable]: endpoint,
});

export function readFenceEnvironment({ [fenceTokenVariable]: token, [endpointVariable]: endpoint }: NodeJS.ProcessEnv) {
  return { token, endpoint: endpoint || undefined };
}

export interface FenceDeps extends Pick<Clock, "sleep"> {
  now(): number;
  /** Absent: a fence by the provider proves nothing. */
  readonly fenceAccess?: ReturnType<typeof readFenceEnvironment>;
}

type FencedHost = Pick<SshTarget, "address" | "hostKey">;

/** Logs that a host was seen, if it was fenced: that ends its fence. */
export async function endFence(store: Store, move: MoveId, { address, hostKey }: FencedHost, now: number) {
  const details = { address, hostKey: computeFingerprint(hostKey) };
  if (findFence(await readMoveEvents(store), move.pillar, details.hostKey) === undefined) return;
  await appendEvent(store, { at: new Date(now).toISOString(), move, event: "unfenced", details });
}

/** Returns why the fence of a host that does not answer proves nothing now; undefined if the host can't start. */
export async function findFenceProblem(store: Store, { pillar }: MoveId, { hostKey }: FencedHost, deps: FenceDeps) {
  const fence = findFence(await readMoveEvents(store), pillar, computeFingerprint(hostKey));
  if (fence === undefined) return "another run has seen the fenced host";
  return findFenceFault(fence, deps.now(), await readPower(fence.details, deps));
}

async function readPower({ provider, serverId: id }: Fence, deps: FenceDeps): Promise<string | undefined> {
  const { token, endpoint } = deps.fenceAccess ?? {};
  if (provider === undefined || id === undefined) return undefined;
  if (!token) return `${fenceTokenVariable} is not set to the token of ${provider}`;
  return readPowerState({ provider, id, token, endpoint }, deps).catch((error: Error) => error.message);
}
