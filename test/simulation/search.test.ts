import { describe, expect, test } from "vitest";
import { minimised, randomHistories, replay } from "../../lab/simulation/random";
import { type Mutation, mutated } from "../../lab/simulation/rules";
import { allUps, search } from "../../lab/simulation/search";
import { searches } from "../../lab/simulation/searches";
import type { Action } from "../../lab/simulation/world";

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

  test("counts the same states twice", async () => {
    const once = () => search({ ...searches["three stacks"], depth: 2 });
    expect(await once()).toEqual(await once());
  });

  test("random histories keep each promise", async () => {
    console.log(`random histories from seed ${seed}`);
    const { found, histories } = await randomHistories(seed, { most: 400, until: Number.POSITIVE_INFINITY });
    expect(found).toBeUndefined();
    expect(histories).toBe(400);
  });
});

const up = (stack: "second" | "third", ...strikes: Extract<Action, { do: "up" }>["strikes"]): Action => ({
  do: "up",
  direction: "forward",
  attempt: 1,
  stack,
  strikes,
});

const decide = (from: string, to: string): Mutation => ({ file: "core/orchestrator/rules/decideMove.ts", from, to });

/** A second line of defence, which finds some of these, too. */
const withoutGenerations: readonly Mutation[] = [
  {
    file: "core/orchestrator/rules/generation.ts",
    from: "findObstacle(decision.do, saga, states, wanted) ?? { do: decision.do, saga }",
    to: "{ do: decision.do, saga }",
  },
  {
    file: "core/orchestrator/rules/generation.ts",
    from: "dropOlderJournal(dropJournalOfLost(states, wanted), wanted);",
    to: "states;",
  },
];

/** Hides where the key is, and what to do, from the error of a move that failed on both ways. */
const silent: Mutation = {
  file: "core/orchestrator/move/saga.ts",
  from: "formatStepFailure(text,",
  to: "((words: string) => words)(text,",
};

describe("histories that once broke a promise", () => {
  const back = (action: Action): Action => ({ ...action, direction: "back" }) as Action;

  // Each history runs without its fix, too: otherwise it would prove nothing.
  test.each<[string, Action[], readonly Mutation[]]>([
    [
      "a target of a snapshot before its start, while its source knows the end",
      [
        up("second", { at: 16, blow: "kill" }),
        { do: "save", host: "b" },
        up("second"),
        up("third"),
        { do: "rewind", host: "b" },
        up("second"),
      ],
      [decide('s === "restored" || isPastEnd', 's === "restored"')],
    ],
    [
      "a refusal because of another stack that names no command",
      [up("second", { at: 2, blow: "kill" }), up("third")],
      [{ file: "core/orchestrator/rules/obstacles.ts", from: "[formatProblem(problem),", to: "[problem.what," }],
    ],
    [
      "a rollback over an orchestrator that another stack's failed move left",
      [
        up("second", { at: 23, blow: "kill" }),
        up("third", { at: 7, blow: "fail" }),
        { do: "stop by hand", host: "b" },
        back(up("second")),
      ],
      [decide("if (between) return", "if (false) return"), silent],
    ],
    [
      "a source of a snapshot without a journal, and a reinstalled target",
      [
        { do: "save", host: "a" },
        up("second"),
        up("third"),
        { do: "rewind", host: "a" },
        { do: "reinstall", host: "b" },
        up("second"),
      ],
      [],
    ],
    [
      "a rollback that continues beside a running target of an earlier snapshot",
      [
        up("second"),
        { do: "save", host: "b" },
        up("third"),
        { ...back(up("third")), strikes: [{ at: 5, blow: "kill" }] } as Action,
        up("third", { at: 7, blow: "kill" }),
        { do: "rewind", host: "b" },
        up("third"),
      ],
      [
        decide(
          'if (to.active && t !== "abandoned")',
          'if (s === "restoring") return { do: "restore", saga };\n if (to.active)',
        ),
      ],
    ],
    ["a rollback that also fails", [up("second", { at: 10, blow: "fail" }, { at: 17, blow: "fail" })], [silent]],
  ])("are found again without their fix: %s", async (_what, path, fixes) => {
    expect(await replay(path)).toBeUndefined();
    const rules = await mutated([...fixes, ...withoutGenerations]);
    expect(await replay(path, { rules })).toMatchObject({ path });
  });

  test("has no action that can be omitted", async () => {
    const rules = await mutated([decide("if (running === undefined)", "if (true)")]);
    const long: Action[] = [
      ...[{ do: "generate" } as const, { do: "reboot", host: "a" } as const, up("second", { at: 4, blow: "break" })],
      ...[{ do: "lose", host: "c" } as const, { do: "start by hand", host: "a" } as const, up("second")],
    ];
    const found = await replay(long, { rules });
    expect(found && (await minimised(found, { rules })).path).toEqual([
      ...[up("second"), { do: "start by hand", host: "a" }, up("second")],
    ]);
  });
});
