import { expect } from "vitest";
import type { CloudStack } from "./cloudStack";

/** Faults of a provider's API that strike the plugin's own calls, when the program's look-ups went well. */
export interface OrderFaults {
  readonly cloud: () => CloudStack;
  /** The path of an order, below the API's version. */
  readonly path: string;
  /** What is at the provider: servers, firewalls, keys. */
  readonly counts: () => Promise<readonly number[]>;
}

/** Refusals of the order, one after the other: each ends the run in the provider's words, and makes no server. */
export async function refused({ cloud, path, counts }: OrderFaults): Promise<void> {
  const upWith = async (status: number) => {
    const message = `the lab's own ${status}`;
    await cloud().lab("POST", "/faults", { kind: "answer", method: "POST", path, status, message });
    const { output, exitCode } = await cloud().upToServer();
    await cloud().lab("DELETE", "/faults");
    expect(exitCode, output).not.toBe(0);
    expect(output).toContain(message);
    expect(output).not.toMatch(/PRIVATE KEY|ssh_deletekeys|dop_v1|wwww/);
    // That is no word of no room: the same is ordered again.
    const { attempts, pending, ...rest } = (await cloud().record()) ?? { attempts: [] };
    expect([attempts, pending?.reason], JSON.stringify(rest)).toEqual([[], expect.stringContaining(message)]);
    return counts();
  };
  // What was made before the server stays, and is made once.
  for (const status of [403, 503]) expect(await upWith(status)).toEqual([0, 1, 1]);
}

/** Faults that pass while the plugin asks again: the run ends well. */
export async function passing({ cloud, path }: OrderFaults, statuses: readonly number[]): Promise<void> {
  for (const status of statuses)
    await cloud().lab("POST", "/faults", {
      ...{ kind: "answer", method: "POST", path, times: 1, status },
      ...(status === 429 ? { retryAfter: 1 } : {}),
    });
}
