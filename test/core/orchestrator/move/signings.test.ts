import { expect, test } from "vitest";
import type { OrchestratorStatus } from "../../../../core/chain/orchestrator.ts";
import { waitForSignings } from "../../../../core/orchestrator/move/signings.ts";

/** Waits for an orchestrator. @param ask returns its status at a time @returns the output, the time and the requests */
async function waited(ask: (now: number) => Partial<OrchestratorStatus>) {
  const said: string[] = [];
  let now = 0;
  let asked = 0;
  const status = async () => {
    asked += 1;
    return { state: 0, stateName: "LiveState", ...ask(now) };
  };
  const sleep = async (milliseconds: number) => {
    now += milliseconds;
  };
  await waitForSignings(status, { now: () => now, ticks: () => now, sleep, say: (line) => void said.push(line) });
  return { said, now, asked };
}

const asking = "asking until getStatus, which is cached for 25 s, gives a new answer: is a signing at work?";
const waiting = "1 requests wait for their signature: waiting for a while, since a ceremony may be at work";

// An answer is repeated for `standing` milliseconds with its count of requests, the last one for ever.
test.each<[string, number, readonly (number | undefined)[], string, number]>([
  ["waits for nothing if a fresh answer has no request", 25_000, [0], asking, 25_500],
  ["waits for a request that came after the cached answer", 20_000, [0, 1, 1, 1, 0], `${asking}\n${waiting}`, 81_000],
  ["believes an answer that stays the same", 1e9, [0], asking, 25_500],
  ["does not wait for a build that reports no requests", 25_000, [undefined], "", 0],
])("%s", async (_what, standing, answers, lines, time) => {
  const { said, now, asked } = await waited((at) => {
    const index = Math.floor(at / standing);
    const toSign = answers[Math.min(index, answers.length - 1)];
    return { momentum: 1000 + index, ...(toSign !== undefined && { toSign }) };
  });
  expect([said.join("\n"), now]).toEqual([lines, time]);
  // The orchestrator answers two requests a second.
  expect(asked).toBeLessThan(3 + now / 1000);
});

test("asks again after the cache's time if answers name no momentum, and not for ever", async () => {
  const { said, now } = await waited((at) => ({ toSign: at === 25_000 ? 2 : 0 }));
  expect([said.length, now]).toEqual([2, 50_000]);
  // Requests that nobody signs hold nothing up.
  const unsigned = await waited((at) => ({ toSign: 4, momentum: Math.floor(at / 25_000) }));
  expect(unsigned.said.at(-1)).toMatch(/^4 requests still wait .* after 180 s: stopping the orchestrator all the same/);
  expect(unsigned.now).toBeLessThan(230_000);
});

test("repeats a timed-out request once, then reports its error", async () => {
  const failing = (count: number) => {
    let left = count;
    return waited((at) => {
      if (at > 10_000 && left-- > 0) throw new Error("no connection to the orchestrator within 15 s");
      return { momentum: Math.floor(at / 25_000), toSign: 0 };
    });
  };
  expect((await failing(1)).now).toBe(25_500);
  await expect(failing(2)).rejects.toThrow("no connection to the orchestrator within 15 s");
});
