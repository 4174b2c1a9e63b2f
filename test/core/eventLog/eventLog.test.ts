import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { appendEvent, locateFiles, readEvents, readLog, readMoveEvents } from "../../../core/eventLog/eventLog.ts";
import type { LogEvent, MoveEvent } from "../../../core/eventLog/events.ts";
import { formatMove, parseMove } from "../../../core/eventLog/moveId.ts";
import { createDirectoryStore, resolveEventLogPath } from "../../../core/store/directoryStore.ts";
import { moveNamed } from "../../moveNamed.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const directory = scratchDirectory();
afterEach(() => void vi.unstubAllEnvs());

const store = () => createDirectoryStore(directory());
const add = (entry: LogEvent | MoveEvent) => appendEvent(store(), entry);
const events = (pillar = "Anvil") => readEvents(store(), pillar);
const moves = () => readMoveEvents(store());
const file = () => resolveEventLogPath(directory());

const at = "2026-11-21T18:00:00Z";
const refused = (stack: string, reason: string, pillar = "Anvil"): LogEvent => ({
  at,
  stack,
  pillar,
  event: "refused",
  details: { reasons: [reason] },
});

it("keeps a journey beside the orchestrator's moves, in one file", async () => {
  await add(refused("prod", "one"));
  await add({ at, move: moveNamed("pillar-host/prod/Anvil/1"), event: "failed", details: {} });
  await add(refused("prod-2", "two"));
  expect((await events()).map(({ stack }) => stack)).toEqual(["prod", "prod-2"]);
  expect((await moves()).map(({ event }) => event)).toEqual(["failed"]);
  const log = await readLog(store(), "Anvil");
  expect(log.map(({ event }) => event)).toEqual(["refused", "failed", "refused"]);
});

it("keeps two Pillars apart, though their stacks have one name", async () => {
  await add(refused("prod", "one"));
  await add(refused("prod", "two", "Bolt"));
  for (const [pillar, reasons] of Object.entries({ Anvil: ["one"], Bolt: ["two"], Cog: [] }))
    expect((await events(pillar)).flatMap(({ details }) => Object.values(details).flat())).toEqual(reasons);
  // A line that was broken off is left out.
  appendFileSync(file(), '{"at":"2026","stack":"pr');
  await add(refused("prod", "three"));
  expect(await events()).toHaveLength(2);
});

describe("a line's version", () => {
  const line = refused("prod", "one");
  const move = { at, move: "pillar-host/prod/Anvil/1", event: "failed", details: { error: "two" } };
  const put = (...lines: object[]) => appendFileSync(file(), lines.map((each) => `${JSON.stringify(each)}\n`).join(""));

  it("is 1, when written and when read", async () => {
    await add(line);
    expect(JSON.parse(readFileSync(file(), "utf8"))).toEqual({ version: 1, id: expect.any(String), ...line });
    put({ version: 1, ...move });
    expect([await events(), await moves()]).toEqual([[line], [{ ...move, move: moveNamed(move.move) }]]);
  });

  it.each<[object, string]>([
    [line, "not in a version that this program knows; nothing was changed\n  found: no version\n"],
    [{ version: 2, ...line }, "written by a newer version of this program; nothing was changed\n  found: version 2\n"],
  ])("is never another one or missing: such a line is refused", async (other, words) => {
    put({ version: 1, ...line }, other);
    await expect(events()).rejects.toThrow(`the event log, ${file()}: ${words}`);
  });
});

describe("a move's name", () => {
  it.each(["pillar-host/prod/Anvil/12", "pillar-host/prod/Anvil"])("is read as it is written: %s", (text) => {
    expect(formatMove(moveNamed(text))).toBe(text);
  });

  it.each(["", "pillar-host/prod", "a/b/c/d", "a/b/c/1/2", "a//c/1", undefined, 7])("is none: %s", (text) => {
    expect(parseMove(text)).toBeUndefined();
  });
});

it("finds a backup beside the event log, and its key, wherever both were when the line was written", () => {
  vi.stubEnv("XDG_DATA_HOME", directory());
  const records = join(directory(), "pillar-host/records/Anvil");
  const here = { file: join(records, "a.age"), identityFile: join(directory(), "pillar-host/keys/Anvil.age-identity") };
  for (const each of Object.values(here)) {
    mkdirSync(dirname(each), { recursive: true });
    writeFileSync(each, "");
  }
  const home = "/home/other/records/Anvil";
  const there = {
    file: `${home}/a.age`,
    manifestFile: `${home}/a.json`,
    identityFile: "/home/other/keys/Anvil.age-identity",
  };
  const located = (changes: object, more: object = {}) => {
    const backup = { event: "backup", details: { ...there, ...changes } } as MoveEvent;
    return locateFiles(backup, { directory: records, ...more }).details;
  };
  expect(located({})).toEqual({ ...there, ...here });
  expect(located({}, { files: "s3://state/backups/" })).toEqual({ ...here, manifestFile: "s3://state/backups/a.json" });
  expect(located({ identityFile: "/home/other/mine.txt" })).toMatchObject({ identityFile: "/home/other/mine.txt" });
});
