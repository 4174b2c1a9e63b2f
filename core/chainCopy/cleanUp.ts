import crypto from "node:crypto";
import type { Clock } from "../util/clock";
import { takeFirstLine } from "../util/firstLine";
import { type CopyError, type CopyHosts, openHosts } from "./copyHosts";
import type { ChainCopyInputs } from "./inputs";

/** Removes all of the copy from both hosts except what has arrived. Returns what could not be removed. Never throws. */
export async function cleanUp(hosts: CopyHosts, deps: Pick<Clock, "sleep">): Promise<string[]> {
  const end = async (side: "old" | "new", name: string): Promise<string[]> => {
    for (let left = 3; ; left -= 1) {
      try {
        await hosts.call(side, name, {}, { limitSeconds: 1800 });
        return [];
      } catch (error) {
        const { message, isTaken, isBroken } = error as CopyError;
        if (isTaken) return [];
        if (!isBroken || left === 1)
          return [
            `the ${side} host could not be cleaned up: ${takeFirstLine(message)}; the host does so by itself, or the next run does`,
          ];
        await deps.sleep(5000);
      }
    }
  };
  const both = await Promise.all([end("old", "chain_end_old"), end("new", "chain_end_new")]);
  return both.flat();
}

/** Removes what failed copies left, once no copy is wanted: the node gets its own databases back. Never throws. */
export async function removeCopy(
  inputs: ChainCopyInputs,
  deps: Pick<Clock, "sleep"> & { say(line: string): void },
): Promise<void> {
  const hosts = openHosts(inputs, crypto.randomBytes(8).toString("hex"));
  const away = async (side: "old" | "new", names: readonly string[]) => {
    try {
      for (const name of names) await hosts.call(side, name, {}, { limitSeconds: 600 });
    } catch (error) {
      const { address } = hosts.roots[side];
      deps.say(
        `${address}: the remains of a chain copy could not be removed: ${takeFirstLine((error as Error).message)}`,
      );
    }
  };
  try {
    await Promise.all([away("new", ["chain_away"]), away("old", ["chain_take", "chain_end_old"])]);
  } finally {
    hosts.close();
  }
}
