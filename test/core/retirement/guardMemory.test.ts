import { describe, expect, test } from "vitest";
import type { EventBody, LogEvent } from "../../../core/eventLog/events";
import { hostMemoryInputs, mergeHostMemory, type Remembered } from "../../../core/retirement/guardMemory";

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
const known = { isReached: true, isOwnWork: true, recorded, knownProducer: "z1qown", hasProduced: true };

describe("what guards decide on", () => {
  test("is in the record and in the state: with either lost, the other one has it", () => {
    expect(mergeHostMemory(events, "prod", inState)).toEqual({ ...known, location, since: "2026-11-21T10:00:00Z" });
    expect(mergeHostMemory(events, "prod")).toEqual({ ...known, location, since: "2026-11-21T10:00:00Z" });
    expect(mergeHostMemory([], "prod", inState)).toEqual({
      ...known,
      location: undefined,
      since: "2026-11-21T10:00:05Z",
    });
  });

  test("with both lost is not known: nobody's own work, and nothing that a guard could let a host go for", () => {
    const nothing = mergeHostMemory([], "prod");
    expect(nothing).toMatchObject({ isOwnWork: false, hasProduced: false, recorded: undefined });
    expect(hostMemoryInputs(nothing)).toEqual({});
  });

  test("is the worse of two words", () => {
    expect(mergeHostMemory(events, "prod", { isOwnWork: false }).isOwnWork).toBe(false);
    expect(mergeHostMemory(events.slice(0, 1), "prod", { produced: "seen" }).hasProduced).toBe(true);
  });

  test("of a host that was let go counts no more for what came after it", () => {
    const released = entry("2026-11-23T10:00:00Z", { event: "released", details: { evidence: [] } });
    expect(mergeHostMemory([...events, released], "prod").hasProduced).toBe(false);
  });

  test("is told to a guard as far as it is known, and never a no", () => {
    expect(hostMemoryInputs(mergeHostMemory([], "prod", inState))).toEqual({
      remembered: { isReached: true, recorded, produced: "seen" },
      knownProducer: "z1qown",
    });
    expect(hostMemoryInputs(mergeHostMemory(events.slice(0, 2), "prod"))).toEqual({
      remembered: { isReached: true, recorded },
    });
  });
});
