import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { registerExistingHost } from "../../../components/host/registerHost";
import type { LastRun } from "../../../components/lastRun";
import { HostRetirement } from "../../../components/retirement/guard";
import { createRememberedOutput, readLastRunMemory } from "../../../components/retirement/hostMemory";
import type { ExistingHostConfig } from "../../../core/config/hostSchema";
import type { RegistrationOutput } from "../../../core/registration/registration";
import type { Remembered } from "../../../core/retirement/guardMemory";
import { scratchDirectory } from "../../scratchDirectory";
import { configOf } from "../exampleConfig";
import { registeredBy } from "../fakeEngine";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const recorded = { height: 7, hash: "ab" };
const createdAt = "2026-11-21T10:00:00.000Z";
const memory = { createdAt, isReached: true, isOwnWork: true, produced: "unknown" as const };
const { createdAt: since, ...rest } = memory;
const shownOf = { since, ...rest, recorded };
const directory = scratchDirectory();

/** Returns the inputs that a run registers without the event log, and its output about the guards. */
async function runOf(lifecycle: "active" | "retiring", last: LastRun, registration?: Partial<RegistrationOutput>) {
  const host = { provider: "existing", address: "203.0.113.7", hostKey };
  const config = configOf({ lifecycle, host, orchestrator: { backup: { directory: directory() } } });
  let shown: Promise<Remembered> | undefined;
  const all = await registeredBy(
    async () => {
      const { host } = await registerExistingHost(config, config.host as ExistingHostConfig, last);
      if (!host) throw new Error("no host");
      const shutDown = lifecycle === "retiring" ? { run: undefined } : undefined;
      const { guard } = new HostRetirement({ host, after: [host.guard], shutDown });
      const now = registration && pulumi.output(registration as RegistrationOutput);
      shown = new Promise((resolve) => createRememberedOutput(host.guard, guard, last, now).apply(resolve));
    },
    { "host-guard": memory, guard: { ...memory, recorded } },
  );
  const named = (name: string) => all.find((each) => each.name === name);
  return { shown: await shown, named };
}

test("outputs its guards' memory for the next run, and the address only if it was shown", async () => {
  const first = await runOf("active", { finished: false }, { producing: false });
  expect(first.shown).toEqual(shownOf);
  const second = await runOf("active", { finished: true, remembered: first.shown ?? {} }, { producing: true });
  expect(second.shown).toEqual({ ...shownOf, produced: "seen" });
  // A lookup without an answer keeps the earlier memory.
  const third = await runOf("active", { finished: true, remembered: second.shown ?? {} }, { state: "unknown" });
  expect(third.shown).toEqual(second.shown);
});

test("takes no memory of another host", async () => {
  const other = { since: "2026-01-01T00:00:00.000Z", produced: "seen" as const, producer: "z1qold" };
  expect((await runOf("retiring", { finished: true, remembered: other })).shown).toEqual(shownOf);
});

test("passes the memory to guards and shutdown only while the stack retires", async () => {
  const registration = { state: "producing", producing: true } as const;
  const last: LastRun = { finished: true, producerAddress: "z1qown", remembered: shownOf, registration };
  const retiring = await runOf("retiring", last);
  const remembered = { isReached: true, recorded, produced: "seen" };
  for (const name of ["host-guard", "node-shutdown", "guard"])
    expect(retiring.named(name)?.inputs, name).toMatchObject({ remembered, knownProducer: "z1qown" });
  expect(retiring.named("node-shutdown")).toMatchObject({ parent: "retirement", after: ["host-guard"] });
  expect(retiring.named("guard")?.after.toSorted()).toEqual(["host-guard", "node-shutdown"]);
  expect(retiring.shown).toEqual({ ...shownOf, producer: "z1qown", produced: "seen" });
  const active = await runOf("active", last, { producing: true });
  for (const name of ["host-guard", "guard"]) {
    expect(active.named(name)?.inputs).not.toHaveProperty("remembered");
    expect(active.named(name)?.inputs).not.toHaveProperty("knownProducer");
  }
});

test("passes on a partial memory, without a no for what is missing", () => {
  const registration = { state: "producing", producing: true } as const;
  expect(readLastRunMemory({ finished: true })).toEqual({});
  expect(readLastRunMemory({ finished: true, registration: { state: "unknown" } })).toEqual({});
  const known = { producer: "z1qown", produced: "seen" };
  expect(readLastRunMemory({ finished: true, producerAddress: "z1qown", registration })).toEqual(known);
});
