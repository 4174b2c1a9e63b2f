import { readPower } from "../../cloud/power.ts";
import { appendEvent, readMoveEvents } from "../../eventLog/eventLog.ts";
import type { Fence, MoveEvent } from "../../eventLog/events.ts";
import type { MoveId } from "../../eventLog/moveId.ts";
import { computeFingerprint } from "../../ssh/publicKey.ts";
import type { SshTarget } from "../../ssh/ssh.ts";
import type { Store } from "../../store/store.ts";
import type { Teller } from "../../util/clock.ts";
import { bothSides, type HostStates, type WhichHost } from "../rules/journal.ts";
import { findFence, findFenceFault } from "../rules/moveHistory.ts";
import type { MoveInputs } from "./moveInputs.ts";

/** Variables of a run's environment with the token (secret), and in tests the endpoint, of a fenced server's provider. */
export const fenceVariables = { token: "PILLAR_HOST_FENCE_TOKEN", endpoint: "PILLAR_HOST_FENCE_ENDPOINT" } as const;

type FencedHost = Pick<SshTarget, "address" | "hostKey">;

/** Logs that a host was seen, if it was fenced: that ends its fence. */
export async function endFence(store: Store, move: MoveId, { address, hostKey }: FencedHost, now: number) {
  const details = { address, hostKey: computeFingerprint(hostKey) };
  if (findFence(await readMoveEvents(store), move.pillar, details.hostKey) === undefined) return;
  await appendEvent(store, { at: new Date(now).toISOString(), move, event: "unfenced", details });
}

/**
 * Returns the function that says whether the old host, which does not answer, is fenced now. It asks anew each time. If
 * a host answers, its fence ends. @param events as read at the run's begin
 */
export function createFenceCheck(
  inputs: Pick<MoveInputs, "move" | "restoreFrom" | WhichHost>,
  store: Store,
  events: readonly MoveEvent[],
  deps: Teller,
) {
  const { move, restoreFrom } = inputs;
  const target = (side: WhichHost) => inputs[side].host.ssh;
  const find = (side: WhichHost, among: readonly MoveEvent[]) =>
    findFence(among, move.pillar, computeFingerprint(target(side).hostKey));
  let fenced = bothSides.filter((side) => find(side, events));
  return async (states: HostStates): Promise<boolean> => {
    for (const side of fenced.filter((each) => states[each])) await endFence(store, move, target(side), deps.now());
    fenced = fenced.filter((side) => !states[side]);
    if (restoreFrom === undefined || !fenced.includes("old")) return false;
    const fence = find("old", await readMoveEvents(store));
    if (fence === undefined) return false;
    const fault = findFenceFault(fence, deps.now(), await readFencedPower(fence.details, deps));
    if (fault !== undefined) deps.say(fault);
    return fault === undefined;
  };
}

async function readFencedPower({ provider, serverId: id, address }: Fence, deps: Teller): Promise<string | undefined> {
  const { [fenceVariables.token]: token, [fenceVariables.endpoint]: endpoint } = process.env;
  if (provider === undefined || id === undefined) return undefined;
  if (!token) return `${fenceVariables.token} is not set to the token of ${provider}`;
  return readPower({ provider, id, token, endpoint, address }, deps).then(
    ({ state }) => state,
    (error: Error) => error.message,
  );
}
