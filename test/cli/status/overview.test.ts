import { expect, test } from "vitest";
import { createMissingServerError } from "../../../cli/status/openStack.ts";
import { formatOverview, summarize } from "../../../cli/status/overview.ts";
import type { StackLookup } from "../../../cli/status/stackView.ts";
import { type Problem, ProblemError } from "../../../core/util/problem.ts";
import { viewOf } from "../exampleView.ts";

const looked = (
  stack: string,
  changes: Parameters<typeof viewOf>[0] = {},
  exitCode = 1,
  problem?: Problem,
): StackLookup => ({ stack, exitCode, problem, view: viewOf({ stack, locks: [], ...changes }) });
const syncing = looked("prod-2");
const synced = looked("prod", { lifecycle: "adopted", synced: true }, 0);
const refusal = new ProblemError({ what: "the pass phrase does not open stack bolt", needed: "it" });
const closed: StackLookup = { stack: "bolt", refusal };
const toCome: StackLookup = { stack: "bolt-2", refusal: createMissingServerError("bolt-2", false) };
const retired: StackLookup = { stack: "anvil-1", refusal: createMissingServerError("anvil-1", true) };
const all = [synced, retired, syncing, toCome, closed];

test("lists the most urgent stack first, each with its next step", () => {
  expect(formatOverview(summarize(all), 120)).toEqual([
    "NEEDS    STACK    PILLAR  HOST         STAGE",
    "unseen   bolt",
    "         the pass phrase does not open stack bolt",
    "         needed: it",
    "step     bolt-2",
    "         stack bolt-2 has no server yet",
    "         needed: create the server: pulumi up -s bolt-2",
    "wait     prod-2   Anvil   203.0.113.7  deployed, syncing",
    "         next: pulumi up -s prod-2 continues from here",
    "nothing  anvil-1",
    "         stack anvil-1 has no server any more",
    "         To delete the stack: pulumi stack rm -s anvil-1",
    "nothing  prod     Anvil   203.0.113.7  adopted, node synced",
  ]);
  expect(formatOverview([], 120)).toEqual(["this backend has no stack of this program"]);
});

test("wraps in a narrow terminal and removes control characters", () => {
  const problem = { what: "no login:\u001b[2J refused", needed: "a key" };
  const lines = formatOverview(summarize([looked("p", {}, 2, problem), syncing]), 40);
  expect(lines.every((line) => line.length < 40)).toBe(true);
  expect(lines.slice(2, 4)).toEqual(["        no login:[2J refused", "        needed: a key"]);
});

test("formats JSON in the same order, with the needs of each stack", () => {
  expect(summarize(all).map(({ json }) => json)).toMatchObject([
    { stack: "bolt", looked: false, needs: "unseen", refusal: expect.stringContaining("does not open") },
    { stack: "bolt-2", needs: "step" },
    { stack: "prod-2", needs: "wait", looked: true, stage: "deployed, syncing" },
    { stack: "anvil-1", needs: "nothing" },
    { stack: "prod", needs: "nothing", host: "203.0.113.7" },
  ]);
  // A planned server, or a retired one, is no problem.
  expect(summarize(all).map(({ exitCode }) => exitCode)).toEqual([2, 0, 1, 0, 0]);
});
