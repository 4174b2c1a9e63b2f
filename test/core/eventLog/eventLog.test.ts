import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { appendEvent, type LogEvent, lastEvent, readEvents } from "../../../core/eventLog/eventLog";
import { appendMoveEvent, eventLogFile, readMoveEvents } from "../../../core/eventLog/moveEvents";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journey-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const refused = (stack: string, reason: string, pillar = "Anvil"): LogEvent => ({
  ...{ at: "2026-11-21T18:00:00Z", stack, pillar, event: "refused", details: { reasons: [reason] } },
});

it("keeps a journey beside the signer's moves, in one file", () => {
  appendEvent(directory, refused("prod", "one"));
  appendMoveEvent(directory, { at: "2026-11-21T18:00:01Z", move: "pillar-host/prod/Anvil/1", event: "done" });
  appendEvent(directory, refused("prod", "two"));
  appendEvent(directory, refused("prod-2", "three"));
  expect(readEvents(directory, "Anvil").map(({ stack }) => stack)).toEqual(["prod", "prod", "prod-2"]);
  expect(readMoveEvents(directory).map(({ event }) => event)).toEqual(["done"]);
  expect(lastEvent(readEvents(directory, "Anvil"), "prod", "refused")?.details.reasons).toEqual(["two"]);
  expect(lastEvent(readEvents(directory, "Anvil"), "prod", "released")).toBeUndefined();
});

it("keeps two Pillars apart, though their stacks have one name", () => {
  appendEvent(directory, refused("prod", "one"));
  appendEvent(directory, refused("prod", "two", "Bolt"));
  expect(lastEvent(readEvents(directory, "Anvil"), "prod", "refused")?.details.reasons).toEqual(["one"]);
  expect(lastEvent(readEvents(directory, "Bolt"), "prod", "refused")?.details.reasons).toEqual(["two"]);
  expect(readEvents(directory, "Cog")).toEqual([]);
});

it("leaves out a line that was broken off", () => {
  appendFileSync(eventLogFile(directory), '{"at":"2026","stack":"pr');
  appendEvent(directory, refused("prod", "one"));
  expect(readEvents(directory, "Anvil")).toHaveLength(1);
  expect(readEvents(join(directory, "none"), "Anvil")).toEqual([]);
});
