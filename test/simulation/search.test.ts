import { describe, expect, test } from "vitest";
import { minimised, randomHistories, replay } from "../../lab/simulation/random";
import { type Mutation, mutated } from "../../lab/simulation/rules";
import { allUps, search } from "../../lab/simulation/search";
import { searches } from "../../lab/simulation/searches";
import type { Action, Strike } from "../../lab/simulation/world";

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
const [second, third] = [up("second"), up("third")];
const on = (host: "a" | "b", what: "save" | "rewind" | "reinstall" | "stop by hand"): Action => ({ do: what, host });

const decide = (from: string, to: string): Mutation => ({ file: "core/orchestrator/rules/decideMove.ts", from, to });

/** A second line of defence, which finds some of these, too. */
const withoutGenerations: readonly Mutation[] = [
  [
    "findObstacle(decision.do, saga, states, wanted) ?? { do: decision.do, saga }",
    "{ do: decision.do, saga }",
  ] as const,
  ["dropOlderJournal(dropJournalOfLost(states, wanted), wanted);", "states;"] as const,
].map(([from, to]) => ({ file: "core/orchestrator/rules/generation.ts", from, to }));

/** Hides where the key is, and what to do, from the error of a move that failed on both ways. */
const silent: Mutation = {
  file: "core/orchestrator/move/saga.ts",
  from: "formatStepFailure(text,",
  to: "((words: string) => words)(text,",
};

describe("histories that once broke a promise", () => {
  // Each history runs without its fix, too: otherwise it would prove nothing.
  test.each<[string, Action[], ...(readonly Mutation[])]>([
    [
      "a target of a snapshot before its start, while its source knows the end",
      [second({ at: 16, blow: "kill" }), on("b", "save"), second(), third(), on("b", "rewind"), second()],
      decide('s === "restored" || isPastEnd', 's === "restored"'),
    ],
    [
      "a refusal because of another stack that names no command",
      [second({ at: 2, blow: "kill" }), third()],
      { file: "core/orchestrator/rules/obstacles.ts", from: "[formatProblem(problem),", to: "[problem.what," },
    ],
    [
      "a rollback over an orchestrator that another stack's failed move left",
      [
        ...[second({ at: 23, blow: "kill" }), third({ at: 7, blow: "fail" })],
        ...[on("b", "stop by hand"), up("second", "back")()],
      ],
      decide("if (between) return", "if (false) return"),
      silent,
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
      decide(
        'if (to.active && t !== "abandoned")',
        'if (s === "restoring") return { do: "restore", saga };\n if (to.active)',
      ),
    ],
    ["a rollback that also fails", [second({ at: 10, blow: "fail" }, { at: 17, blow: "fail" })], silent],
  ])("are found again without their fix: %s", async (_what, path, ...fixes) => {
    expect(await replay(path)).toBeUndefined();
    const rules = await mutated([...fixes, ...withoutGenerations]);
    expect(await replay(path, { rules })).toMatchObject({ path });
  });

  test("has no action that can be omitted", async () => {
    const rules = await mutated([decide("if (running === undefined)", "if (true)")]);
    const long: Action[] = [
      ...[{ do: "generate" } as const, { do: "reboot", host: "a" } as const, second({ at: 4, blow: "break" })],
      ...[{ do: "lose", host: "c" } as const, { do: "start by hand", host: "a" } as const, second()],
    ];
    const found = await replay(long, { rules });
    expect(found && (await minimised(found, { rules })).path).toEqual([
      ...[second(), { do: "start by hand", host: "a" }, second()],
    ]);
  });
});
