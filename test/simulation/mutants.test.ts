import { expect, test } from "vitest";
import { type Mutation, mutated } from "../../lab/simulation/rules";
import { search } from "../../lab/simulation/search";
import { searches } from "../../lab/simulation/searches";

const decide = "core/orchestrator/rules/decideMove.ts";
const generation = "core/orchestrator/rules/generation.ts";

/** Earlier mistakes of the program, which the search must find again. */
test.each<[string, keyof typeof searches, readonly Mutation[], boolean, RegExp]>([
  [
    "a live server counts as unreached after a lost laptop",
    "given up",
    [
      { file: "core/retirement/decideRetirement.ts", from: "memory.isReached || isAlive", to: "memory.isReached" },
      {
        file: "core/retirement/guardMemory.ts",
        from: "memory.isReached || !isOwnServer",
        to: "memory.isReached",
      },
    ],
    true,
    /the release of host . was allowed/,
  ],
  [
    "a shutdown's facts count for a reinstalled host",
    "given up",
    [
      { file: "core/eventLog/guardFacts.ts", from: "...signsOfLife, ", to: "" },
      { file: "core/eventLog/guardFacts.ts", from: "concernsHost(line, stack, host))", to: "false)" },
    ],
    true,
    /the release of host . was allowed, and a signer runs there/,
  ],
  [
    "any key share of a silent host counts, and any orchestrator on its successor",
    "given up beside an older signer",
    [
      { file: "core/retirement/backupRule.ts", from: "if (hasShareForKey(bridge.key, files))", to: "if (true)" },
      { file: "core/retirement/successorOrchestrator.ts", from: "!hasShareForKey(bridge.key, shares)", to: "false" },
    ],
    true,
    /the newest key share is there alone/,
  ],
  [
    "another stack's journal is overwritten",
    "three stacks",
    [
      { file: decide, from: "if (foreign) return", to: "if (false) return" },
      { file: decide, from: "if (between) return", to: "if (false) return" },
    ],
    false,
    /two may sign now/,
  ],
  [
    "a second running orchestrator counts as done",
    "by hand",
    [{ file: decide, from: "if (running === undefined)", to: "if (true)" }],
    true,
    /two sign in plain sight/,
  ],
  [
    "an event log that is behind a host counts as complete",
    "a chain, record lost",
    [{ file: generation, from: 'return "record behind"', to: "return undefined" }],
    true,
    /two may sign now/,
  ],
  [
    "an unknown orchestrator moves without a confirmation",
    "a chain, record lost",
    [{ file: generation, from: 'isFirst ? undefined : "first move"', to: "undefined" }],
    true,
    /two may sign now/,
  ],
  [
    "a move continues although its start can't be logged",
    "a store that refuses",
    [
      {
        file: "core/orchestrator/move/saga.ts",
        from: "await actions.record(line, saga)",
        to: "await actions.record(line, saga).catch(() => undefined)",
      },
    ],
    true,
    /two may sign now/,
  ],
  [
    "a backup takes the place of a host that the orchestrator has left",
    "a lost host",
    [
      { file: generation, from: "Object.values(hosts ?? {}).includes(known.startedOn))", to: "true)" },
      { file: generation, from: "isElsewhere ||", to: "false ||" },
    ],
    true,
    /two may sign now/,
  ],
  [
    "a backup takes the place of a host that is not fenced",
    "a lost host",
    [{ file: generation, from: "if (!wanted.isRestore ||", to: "if (" }],
    true,
    /two may sign now/,
  ],
])("finds the mistake: %s", async (_what, name, mutations, isGuarded, why) => {
  const rules = await mutated(mutations);
  const bounds = { ...searches[name], depth: 5 };
  const { found } = await search(bounds, { rules, isGuarded });
  expect(found?.why).toMatch(why);
  // It is the mutation that does it.
  expect((await search({ ...bounds, depth: found?.path.length ?? 0, mostStates: 300 })).found).toBeUndefined();
});
