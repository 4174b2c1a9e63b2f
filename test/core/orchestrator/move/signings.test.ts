import { describe, expect, test } from "vitest";
import type { OrchestratorStatus } from "../../../../core/chain/orchestrator";
import { waitForSignings } from "../../../../core/orchestrator/move/signings";

const asking = "asking until getStatus, which is cached for 25 s, gives a new answer: is a signing at work?";

/**
 * Creates an orchestrator that repeats each answer for a while, with its count of waiting requests, and the last one
 * for ever.
 */
function signer(standing: number, answers: readonly (number | undefined)[], momentums: "told" | "untold" = "told") {
  const said: string[] = [];
  let now = 0;
  let asked = 0;
  const ask = async (): Promise<OrchestratorStatus> => {
    asked += 1;
    const at = Math.floor(now / standing);
    const toSign = answers[Math.min(at, answers.length - 1)];
    return {
      state: 0,
      stateName: "LiveState",
      ...(momentums === "told" ? { momentum: 1000 + at } : {}),
      ...(toSign === undefined ? {} : { toSign }),
    };
  };
  const deps = {
    ticks: () => now,
    sleep: async (milliseconds: number) => {
      now += milliseconds;
    },
    say: (line: string) => void said.push(line),
  };
  return { said, wait: () => waitForSignings(ask, deps), waited: () => now, asked: () => asked };
}

describe("an orchestrator before its stop", () => {
  test("waits for nothing if a fresh answer has no request, and keeps the rate limit", async () => {
    const { wait, said, waited, asked } = signer(25_000, [0]);
    await wait();
    expect(said).toEqual([asking]);
    expect([waited(), asked()]).toEqual([25_500, 19]);
  });

  test("waits for a request that came after the cached answer", async () => {
    const { wait, said, waited } = signer(20_000, [0, 1, 1, 1, 0]);
    await wait();
    expect(said).toEqual([
      asking,
      "1 requests wait for their signature: waiting for a while, since a ceremony may be at work",
    ]);
    expect(waited()).toBeGreaterThanOrEqual(80_000);
  });

  test("warns of requests that nobody signs, and continues", async () => {
    const { wait, said, waited } = signer(25_000, [4]);
    await wait();
    expect(said.at(-1)).toMatch(
      /^4 requests still wait for their signature after 180 s: stopping the orchestrator all the same/,
    );
    expect(waited()).toBeLessThan(230_000);
  });

  test("asks again after the cache's time if answers name no momentum", async () => {
    const { wait, said, waited } = signer(25_000, [0, 2, 0], "untold");
    await wait();
    expect(said).toHaveLength(2);
    expect(waited()).toBe(50_000);
  });

  test("believes an answer that stays the same, and says so", async () => {
    const { wait, said, waited } = signer(1e9, [0]);
    await wait();
    expect(said).toEqual([asking, "getStatus still has momentum 1000: a signing begun since is not in it"]);
    expect(waited()).toBe(25_500);
  });

  test("does not wait for a build that reports no requests", async () => {
    const { wait, said, waited } = signer(25_000, [undefined]);
    await wait();
    expect([said, waited()]).toEqual([[], 0]);
  });

  test("repeats a timed-out request once, then reports its error", async () => {
    let failing = 1;
    let now = 0;
    const ask = async (): Promise<OrchestratorStatus> => {
      if (now > 10_000 && failing-- > 0) throw new Error("no connection to the orchestrator within 15 s");
      return { state: 0, stateName: "LiveState", momentum: 1000 + Math.floor(now / 25_000), toSign: 0 };
    };
    const sleep = async (milliseconds: number) => {
      now += milliseconds;
    };
    const wait = () => waitForSignings(ask, { ticks: () => now, sleep, say: () => undefined });
    await wait();
    expect(failing).toBeLessThan(0);
    failing = 2;
    await expect(wait()).rejects.toThrow("no connection to the orchestrator within 15 s");
  });
});
