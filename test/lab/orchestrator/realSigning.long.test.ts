import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { LabHost } from "../../../lab/lab.ts";
import { realSignerPrograms, setWorld } from "../../../lab/real/realSigner.ts";
import { realOnly } from "../contracts/contract.ts";
import { expectSuccess, onHost } from "../fixture.ts";
import { ask, logOf, realStage, signature } from "./realStage.ts";

/** The lines of an orchestrator's log about its ceremonies: each begins with a request to all, and ends some 60 to 80 seconds later. */
const begins = "before sending sign request";
const ends = /bulkSign took/;

realOnly("a real orchestrator is stopped within a signing", realSignerPrograms, () => {
  const stage = realStage();
  /** Returns another request than the world's own, which is signed once only. */
  const another = () => stage.wraps.replace(/0050(?=")/, "0051");
  let moved: Date;

  it("waits for a running signature; after three minutes it stops within the next one, and says so", async () => {
    const { old, fresh, second, third } = stage.hosts;
    const began = new Date();
    const identity = await ask(old, "getIdentity");
    const ceremonies = async (host: LabHost) => (await logOf(host, began)).split(begins).slice(1);
    await setWorld(second, { wraps: stage.wraps });
    await expect.poll(() => ceremonies(old), { timeout: 90_000, interval: 500 }).toHaveLength(1);
    const run = await stage.stack.begin();
    await run.printed("1 requests wait for their signature: waiting for a while");
    const waitsSince = Date.now();
    const signatures = async () =>
      Promise.all([old, second, third].map(async (host) => signature.exec(await logOf(host, began))?.[2] ?? host.name));
    const one = async () => new Set(await signatures()).size;
    await expect.poll(one, { timeout: 120_000, interval: 2000 }).toBe(1);
    expect(await run.output()).not.toContain("stopping the orchestrator of the old host");
    // The program needs some time, too, so that it stops the orchestrator at the beginning of the ceremony.
    await sleep(waitsSince + 150_000 - Date.now());
    await run.freeze(true);
    await setWorld(second, { wraps: another() });
    await expect.poll(() => ceremonies(old), { timeout: 90_000, interval: 500 }).toHaveLength(2);
    await sleep(waitsSince + 181_000 - Date.now());
    await run.freeze(false);
    const output = await expectSuccess(run.end());
    moved = new Date();
    expect(output).toContain("1 requests still wait for their signature after 180 s: stopping the orchestrator");
    const [, last] = await ceremonies(old);
    expect(last).toContain("Stopping orchestrator");
    expect(last).not.toMatch(ends);
    expect(await ask(fresh, "getIdentity")).toEqual(identity);
    expect(await ask(fresh, "getStatus")).toMatchObject({ state: 0, stateName: "LiveState" });
    expect(await onHost(old, "systemctl is-active orchestrator || true; pgrep -x orchestrator || true")).toBe(
      "inactive",
    );
  });

  it("signs the interrupted message with its peers on the new host", async () => {
    const { fresh, second, third } = stage.hosts;
    const signed = async (host: LabHost) => signature.exec(await logOf(host, moved))?.[2];
    const theirs = () => Promise.all([fresh, second, third].map(signed));
    await expect.poll(async () => (await theirs())[0], { timeout: 420_000, interval: 5000 }).toBeDefined();
    await expect.poll(async () => new Set(await theirs()).size, { interval: 1000 }).toBe(1);
  });
});
