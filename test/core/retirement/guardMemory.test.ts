import { describe, expect, test } from "vitest";
import type { EventBody, LogEvent } from "../../../core/eventLog/events";
import { mergeHostMemory, type Remembered, updateGuardMemory } from "../../../core/retirement/guardMemory";

const recorded = { height: 7, hash: "ab" };
const entry = (at: string, news: EventBody): LogEvent => ({ at, stack: "prod", pillar: "Anvil", ...news });
const location = { address: "203.0.113.7", provider: "existing", isOwnWork: true };
const produced = { producerAddress: "z1qown", height: 9, switchedAt: "2026-11-22T10:00:00Z" };
const events = [
  entry("2026-11-21T10:00:00Z", { event: "host", details: location }),
  entry("2026-11-21T11:00:00Z", { event: "recorded", details: recorded }),
  entry("2026-11-22T10:00:00Z", { event: "producing", details: produced }),
];
const inState: Remembered = {
  since: "2026-11-21T10:00:05Z",
  isReached: true,
  isOwnWork: true,
  recorded,
  producer: "z1qown",
  produced: "seen",
};
const known = { isReached: true, isOwnWork: true, recorded, knownProducer: "z1qown", produced: "seen" };

describe("a guard's memory", () => {
  test("is in the event log and in the state, so that either may be lost", () => {
    expect(mergeHostMemory(events, "prod", inState)).toEqual({ ...known, location, createdAt: "2026-11-21T10:00:00Z" });
    expect(mergeHostMemory(events, "prod")).toEqual({ ...known, location, createdAt: "2026-11-21T10:00:00Z" });
    expect(mergeHostMemory([], "prod", inState)).toEqual({ ...known, location: undefined, createdAt: inState.since });
    // If both are lost, it allows nothing.
    const nothing = { isReached: false, isOwnWork: false, produced: undefined, recorded: undefined };
    expect(mergeHostMemory([], "prod")).toMatchObject(nothing);
  });

  test("takes the worse of two contradicting values, and does not count for a host that followed a released one", () => {
    expect(mergeHostMemory(events, "prod", { isOwnWork: false }).isOwnWork).toBe(false);
    expect(mergeHostMemory(events.slice(0, 1), "prod", { produced: "seen" }).produced).toBe("seen");
    const released = entry("2026-11-23T10:00:00Z", { event: "released", details: { evidence: [] } });
    expect(mergeHostMemory([...events, released], "prod").produced).toBeUndefined();
  });

  test("stays known in a guard, whatever a later run knows", () => {
    const created = updateGuardMemory({}, { lifecycle: "retiring", remembered: {} });
    expect(created).toMatchObject({ isReached: false, isOwnWork: false, produced: "unknown" });
    const remembered = { isReached: true, produced: "seen" } as const;
    const known = updateGuardMemory(created, { lifecycle: "retiring", remembered });
    expect(known).toEqual({ ...created, isReached: true, produced: "seen" });
    expect(updateGuardMemory(known, { lifecycle: "retiring" })).toEqual(known);
    expect(updateGuardMemory({}, { lifecycle: "active" })).toMatchObject({ isReached: true, isOwnWork: true });
  });
});
