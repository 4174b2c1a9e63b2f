import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendEvent, readEvents, readLog, readMoveEvents } from "../../../core/eventLog/eventLog";
import type { LogEvent, MoveEvent } from "../../../core/eventLog/events";
import { formatMove, parseMove } from "../../../core/eventLog/moveId";
import { createDirectoryStore, resolveEventLogPath } from "../../../core/store/directoryStore";
import { moveNamed } from "../../moveNamed";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journey-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const add = (entry: LogEvent | MoveEvent) => appendEvent(createDirectoryStore(directory), entry);
const events = (pillar = "Anvil") => readEvents(createDirectoryStore(directory), pillar);
const moves = () => readMoveEvents(createDirectoryStore(directory));

const refused = (stack: string, reason: string, pillar = "Anvil"): LogEvent => ({
  at: "2026-11-21T18:00:00Z",
  stack,
  pillar,
  event: "refused",
  details: { reasons: [reason] },
});

it("keeps a journey beside the orchestrator's moves, in one file", async () => {
  await add(refused("prod", "one"));
  await add({
    at: "2026-11-21T18:00:01Z",
    move: moveNamed("pillar-host/prod/Anvil/1"),
    event: "failed",
    details: {},
  });
  await add(refused("prod", "two"));
  await add(refused("prod-2", "three"));
  expect((await events()).map(({ stack }) => stack)).toEqual(["prod", "prod", "prod-2"]);
  expect((await moves()).map(({ event }) => event)).toEqual(["failed"]);
  const log = await readLog(createDirectoryStore(directory), "Anvil");
  expect(log.map(({ event }) => event)).toEqual(["refused", "failed", "refused", "refused"]);
});

it("keeps two Pillars apart, though their stacks have one name", async () => {
  await add(refused("prod", "one"));
  await add(refused("prod", "two", "Bolt"));
  expect((await events("Anvil")).map(({ details }) => details)).toEqual([{ reasons: ["one"] }]);
  expect((await events("Bolt")).map(({ details }) => details)).toEqual([{ reasons: ["two"] }]);
  expect(await events("Cog")).toEqual([]);
});

it("leaves out a line that was broken off", async () => {
  appendFileSync(resolveEventLogPath(directory), '{"at":"2026","stack":"pr');
  await add(refused("prod", "one"));
  expect(await events()).toHaveLength(1);
  expect(await readEvents(createDirectoryStore(join(directory, "none")), "Anvil")).toEqual([]);
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
    appendFileSync(resolveEventLogPath(directory), lines.map((each) => `${JSON.stringify(each)}\n`).join(""));

  it("is written", async () => {
    await add(refused("prod", "one"));
    expect(JSON.parse(readFileSync(resolveEventLogPath(directory), "utf8"))).toMatchObject({
      version: 1,
      event: "refused",
    });
  });

  it("is 1: the line is read as it is", async () => {
    put({ version: 1, ...line }, { version: 1, ...move });
    expect(await events()).toEqual([line]);
    expect(await moves()).toEqual([{ ...move, move: moveNamed(move.move) }]);
  });

  it("is never missing: such a line is refused", async () => {
    put({ version: 1, ...line }, line);
    await expect(events()).rejects.toThrow(
      `the event log, ${resolveEventLogPath(directory)}: not in a version that this program knows; nothing was changed\n  found: no version\n`,
    );
  });

  it("is refused if it is of a newer program, with the next command", async () => {
    put({ version: 2, ...line });
    await expect(events()).rejects.toThrow(
      `the event log, ${resolveEventLogPath(directory)}: written by a newer version of this program; nothing was changed\n` +
        "  found: version 2\n  needed: use the program that wrote it, or data of version 1 (docs/operating.md)\n" +
        "  In the program's directory: git pull && npm ci --omit=dev --ignore-scripts, then run the same command again.",
    );
  });
});

describe("a move's name", () => {
  it("is read as it is written", async () => {
    for (const text of ["pillar-host/prod/Anvil/12", "pillar-host/prod/Anvil"])
      expect(formatMove(moveNamed(text))).toBe(text);
  });

  it.each(["", "pillar-host/prod", "a/b/c/d", "a/b/c/1/2", "a//c/1", undefined, 7])("is none: %s", (text) => {
    expect(parseMove(text)).toBeUndefined();
  });
});
