import { expect, test } from "vitest";
import { linesOf } from "../../../cli/report/lines";
import { textOf, wholeWay } from "./exampleRecord";

const head = { version: 1, at: "2026-11-18T09:00:00Z", stack: "prod", pillar: "Anvil" };

test("every line of a whole way is read", () => {
  const { events, moves, unread } = linesOf(textOf(wholeWay));
  expect([events.length, moves.length, unread]).toEqual([9, 5, 0]);
});

test.each([
  ["one that was broken off", '{"at":"2026-11-18T09:00:00Z","stack":"pr'],
  ["one that is no object", "null"],
  ["an event that is not known", JSON.stringify({ ...head, event: "flown", details: {} })],
  ["an event that an object has anyway", JSON.stringify({ ...head, event: "toString", details: {} })],
  ["a time that is none", JSON.stringify({ ...head, at: "soon", event: "refused", details: { reasons: [] } })],
  ["a detail of another kind", JSON.stringify({ ...head, event: "refused", details: { reasons: "many" } })],
  ["no details", JSON.stringify({ ...head, event: "refused" })],
])("%s is counted, and hides nothing else", (_what, line) => {
  const { events, moves, unread } = linesOf(`${textOf(wholeWay)}${line}\n\n`);
  expect([events.length, moves.length, unread]).toEqual([9, 5, 1]);
});
