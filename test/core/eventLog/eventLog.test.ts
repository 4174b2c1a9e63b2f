import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lastEvent, readEvents, readMoveEvents } from "../../../core/eventLog/eventLog";
import type { LogEvent } from "../../../core/eventLog/events";
import { appendLine, eventLogFile } from "../../../core/eventLog/logFile";
import { moveText, parseMove } from "../../../core/eventLog/moveId";
import { moveNamed } from "../../moveNamed";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journey-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const refused = (stack: string, reason: string, pillar = "Anvil"): LogEvent => ({
  ...{ at: "2026-11-21T18:00:00Z", stack, pillar, event: "refused", details: { reasons: [reason] } },
});

it("keeps a journey beside the signer's moves, in one file", () => {
  appendLine(directory, refused("prod", "one"));
  appendLine(directory, {
    at: "2026-11-21T18:00:01Z",
    move: moveNamed("pillar-host/prod/Anvil/1"),
    event: "failed",
    details: {},
  });
  appendLine(directory, refused("prod", "two"));
  appendLine(directory, refused("prod-2", "three"));
  expect(readEvents(directory, "Anvil").map(({ stack }) => stack)).toEqual(["prod", "prod", "prod-2"]);
  expect(readMoveEvents(directory).map(({ event }) => event)).toEqual(["failed"]);
  expect(lastEvent(readEvents(directory, "Anvil"), "prod", "refused")?.details.reasons).toEqual(["two"]);
  expect(lastEvent(readEvents(directory, "Anvil"), "prod", "released")).toBeUndefined();
});

it("keeps two Pillars apart, though their stacks have one name", () => {
  appendLine(directory, refused("prod", "one"));
  appendLine(directory, refused("prod", "two", "Bolt"));
  expect(lastEvent(readEvents(directory, "Anvil"), "prod", "refused")?.details.reasons).toEqual(["one"]);
  expect(lastEvent(readEvents(directory, "Bolt"), "prod", "refused")?.details.reasons).toEqual(["two"]);
  expect(readEvents(directory, "Cog")).toEqual([]);
});

it("leaves out a line that was broken off", () => {
  appendFileSync(eventLogFile(directory), '{"at":"2026","stack":"pr');
  appendLine(directory, refused("prod", "one"));
  expect(readEvents(directory, "Anvil")).toHaveLength(1);
  expect(readEvents(join(directory, "none"), "Anvil")).toEqual([]);
});

describe("a line's version", () => {
  const line = {
    at: "2026-11-21T18:00:00Z",
    stack: "prod",
    pillar: "Anvil",
    event: "refused",
    details: { reasons: ["one"] },
  };
  const move = {
    at: "2026-11-21T18:00:00Z",
    move: "pillar-host/prod/Anvil/1",
    event: "failed",
    details: { error: "two" },
  };
  const put = (...lines: object[]) =>
    appendFileSync(eventLogFile(directory), lines.map((each) => `${JSON.stringify(each)}\n`).join(""));

  it("is written", () => {
    appendLine(directory, refused("prod", "one"));
    expect(JSON.parse(readFileSync(eventLogFile(directory), "utf8"))).toMatchObject({ version: 1, event: "refused" });
  });

  it("is missing where none was written yet: the line is read as it is", () => {
    put(line, move);
    expect(readEvents(directory, "Anvil")).toEqual([line]);
    expect(readMoveEvents(directory)).toEqual([{ ...move, move: moveNamed(move.move) }]);
  });

  it("of a newer program is refused, with what to do", () => {
    put(line, { version: 2, ...line });
    expect(() => readEvents(directory, "Anvil")).toThrow(
      `the record of the migration, ${eventLogFile(directory)}: written by a newer version of this program; nothing was changed\n` +
        "  found: version 2\n  needed: version 1 or older, or the program that wrote it (docs/upgrading.md)\n" +
        "  In the program's directory: git pull && npm ci --omit=dev --ignore-scripts, then run the same command again.",
    );
  });
});

describe("a move's name", () => {
  it("is read as it is written", () => {
    for (const text of ["pillar-host/prod/Anvil/12", "pillar-host/prod/Anvil"])
      expect(moveText(moveNamed(text))).toBe(text);
  });

  it.each(["", "pillar-host/prod", "a/b/c/d", "a/b/c/1/2", "a//c/1", undefined, 7])("is none: %s", (text) => {
    expect(parseMove(text)).toBeUndefined();
  });
});
