import { describe, expect, test } from "vitest";
import { randomHistories, replay } from "../../lab/simulation/random.ts";
import { allUps, search } from "../../lab/simulation/search.ts";
import { searches } from "../../lab/simulation/searches.ts";
import type { Action, Strike } from "../../lab/simulation/world.ts";

/** CI's share of `npm run explore -- moves`: all histories of this many actions, and the same random ones each time. */
const depth = 3;
const seed = 1;

describe("the search of a move's histories", () => {
  test.each(Object.keys(searches) as (keyof typeof searches)[])(
    "keeps each promise: %s",
    async (name) => {
      const { found, ...figures } = await search({ ...searches[name], depth });
      expect(found).toBeUndefined();
      expect(figures).toMatchObject({ depth });
      expect(figures.transitions).toBeGreaterThan(figures.states);
    },
    900_000,
  );

  test("completes with one stack", async () => {
    const ups = allUps(1).filter(({ stack }) => stack === "second");
    const small = { ups, hosts: ["a", "b"], events: [], generations: 1, strikes: [] } as const;
    const { isExhausted, frontier } = await search({ ...small, depth: 40, isSettled: true });
    expect({ isExhausted, frontier }).toEqual({ isExhausted: true, frontier: 0 });
  });

  test("random histories keep each promise", async () => {
    console.log(`random histories from seed ${seed}`);
    const { found, histories } = await randomHistories(seed, { most: 400, until: Number.POSITIVE_INFINITY });
    expect(found).toBeUndefined();
    expect(histories).toBe(400);
  });
});

const up =
  (stack: "second" | "third", direction: "forward" | "back" = "forward") =>
  (...strikes: Strike[]): Action => ({ do: "up", direction, attempt: 1, stack, strikes });
const restored = (stack: "second" | "third", attempt: number, ...strikes: Strike[]): Action => ({
  ...{ do: "up", direction: "forward", attempt, stack, strikes },
  isRestore: true,
});
const [second, third] = [up("second"), up("third")];
const on = (host: "a" | "b", what: "save" | "rewind" | "reinstall" | "stop by hand"): Action => ({ do: what, host });

const fencedCopy: readonly Action[] = [
  { do: "back up", host: "a" },
  { do: "lose", host: "a" },
  { do: "fence", host: "a" },
  { do: "copy record", to: "two" },
  { do: "switch on early", host: "a" },
];

test.each<[string, Action[]]>([
  [
    "a target of a snapshot before its start, while its source knows the end",
    [second({ at: 16, blow: "kill" }), on("b", "save"), second(), third(), on("b", "rewind"), second()],
  ],
  ["a refusal because of another stack that names no command", [second({ at: 2, blow: "kill" }), third()]],
  [
    "a rollback over an orchestrator that another stack's failed move left",
    [
      ...[second({ at: 23, blow: "kill" }), third({ at: 7, blow: "fail" })],
      ...[on("b", "stop by hand"), up("second", "back")()],
    ],
  ],
  [
    "a source of a snapshot without a journal, and a reinstalled target",
    [on("a", "save"), second(), third(), on("a", "rewind"), on("b", "reinstall"), second()],
  ],
  [
    "a rollback that continues beside a running target of an earlier snapshot",
    [
      ...[second(), on("b", "save"), third(), up("third", "back")({ at: 5, blow: "kill" })],
      ...[third({ at: 7, blow: "kill" }), on("b", "rewind"), third()],
    ],
  ],
  [
    "a restore of a host whose start was undone, on one that was started by hand",
    [
      ...[second({ at: 9, blow: "unmask old" }), { do: "start by hand", host: "c" } as const],
      ...[{ do: "lose", host: "b" } as const, { do: "fence", host: "b" } as const, restored("third", 2)],
    ],
  ],
  [
    "a restore by another attempt than the open one, whose fenced source comes back",
    [
      ...[second({ at: 12, blow: "kill" }), { do: "lose", host: "a" } as const],
      ...[{ do: "fence by API", host: "a" } as const, restored("second", 2, { at: 5, blow: "lose new" })],
      { do: "switch on", host: "a" },
    ],
  ],
  [
    "a restore of a host that another operator's run has seen, by the copy of an event log from before",
    [
      ...[...fencedCopy, { ...restored("second", 1), by: "two" } as Action],
      ...[{ do: "lose", host: "a" } as const, restored("second", 1)],
    ],
  ],
  [
    "a restore by a fence whose end was given up with a line of the event log",
    [
      ...[
        { do: "share state" } as const,
        ...fencedCopy,
        restored("second", 1),
        { do: "copy record", to: "one" } as const,
      ],
      ...[{ ...second(), do: "confirm" } as Action, { do: "lose", host: "a" } as const, restored("second", 1)],
    ],
  ],
  ["a rollback that also fails", [second({ at: 10, blow: "fail" }, { at: 17, blow: "fail" })]],
])("keeps each promise in a history that once broke one: %s", async (_what, path) => {
  expect(await replay(path)).toBeUndefined();
});
