import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addToJourney, type JourneyEntry, lastEvent, readJourney } from "../../../core/eventLog/eventLog";
import { addToRecord, readRecord, recordFileOf } from "../../../core/eventLog/moveEvents";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journey-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const refused = (stack: string, reason: string, pillar = "Anvil"): JourneyEntry => ({
  ...{ at: "2026-11-21T18:00:00Z", stack, pillar, event: "refused", details: { reasons: [reason] } },
});

it("keeps a journey beside the signer's moves, in one file", () => {
  addToJourney(directory, refused("prod", "one"));
  addToRecord(directory, { at: "2026-11-21T18:00:01Z", move: "pillar-host/prod/Anvil/1", event: "done" });
  addToJourney(directory, refused("prod", "two"));
  addToJourney(directory, refused("prod-2", "three"));
  expect(readJourney(directory, "Anvil").map(({ stack }) => stack)).toEqual(["prod", "prod", "prod-2"]);
  expect(readRecord(directory).map(({ event }) => event)).toEqual(["done"]);
  expect(lastEvent(readJourney(directory, "Anvil"), "prod", "refused")?.details.reasons).toEqual(["two"]);
  expect(lastEvent(readJourney(directory, "Anvil"), "prod", "released")).toBeUndefined();
});

it("keeps two Pillars apart, though their stacks have one name", () => {
  addToJourney(directory, refused("prod", "one"));
  addToJourney(directory, refused("prod", "two", "Bolt"));
  expect(lastEvent(readJourney(directory, "Anvil"), "prod", "refused")?.details.reasons).toEqual(["one"]);
  expect(lastEvent(readJourney(directory, "Bolt"), "prod", "refused")?.details.reasons).toEqual(["two"]);
  expect(readJourney(directory, "Cog")).toEqual([]);
});

it("leaves out a line that was broken off", () => {
  appendFileSync(recordFileOf(directory), '{"at":"2026","stack":"pr');
  addToJourney(directory, refused("prod", "one"));
  expect(readJourney(directory, "Anvil")).toHaveLength(1);
  expect(readJourney(join(directory, "none"), "Anvil")).toEqual([]);
});
