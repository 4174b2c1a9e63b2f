import fc from "fast-check";
import { expect, test } from "vitest";
import { HostPair, parseHostState } from "../../../../core/orchestrator/hosts/hostPair.ts";
import { decideNext } from "../../../../core/orchestrator/rules/generation.ts";
import type { HostStates, OrchestratorObservation } from "../../../../core/orchestrator/rules/journal.ts";
import { lookUpStage, type Stage } from "../../../../core/orchestrator/rules/journalStages.ts";
import type { Obstacle, RunMemory } from "../../../../core/orchestrator/rules/moveSteps.ts";
import { formatObstacle } from "../../../../core/orchestrator/rules/obstacles.ts";
import { checkOrchestrator } from "../../../../core/retirement/lossRules.ts";
import type { RetirementFacts } from "../../../../core/retirement/retirementFacts.ts";
import { quoteShellWord } from "../../../../core/util/quote.ts";
import { expectNothingOf, hostile, sentText } from "../../../hostile.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { fenced, hostFacts } from "../../retirement/exampleFacts.ts";
import { exampleInputs, exampleJournal, exampleStages, examplePlaces as places } from "../exampleMove.ts";

/** Returns a journal with a word in the place of one of its texts. */
function withText(journal: object, place: number, word: string): unknown {
  let left = place;
  const text = JSON.stringify(journal, (_name, value) => (typeof value === "string" && left-- === 0 ? word : value));
  return JSON.parse(text);
}

const written = (side: "old" | "new", direction: string, stage: string) => ({
  ...exampleJournal(side, "fenced"),
  stage,
  direction,
  move: "pillar-host/prod/Anvil/1",
  at: "2026-01-01T00:00:00Z",
  other: { address: "203.0.113.9", hostKey: "ssh-ed25519 AAAA" },
  keyStore: "producer.moved-to-x-1",
  identity: { producer: "z1q", tssPeerId: "16Uiu2", evmAddress: "0xab" },
  history: [{ stage: "running", at: "2025-01-01T00:00:00Z", move: "pillar-host/prod/Anvil/0" }],
});
/** Texts of such a journal: `move` to `history`. */
const texts = 16;

const look = (journal: unknown, active: boolean): OrchestratorObservation =>
  parseHostState(
    `journal ${Buffer.from(JSON.stringify(journal)).toString("base64")}\nactive ${active ? "yes" : "no"}\nmasked yes\nend\n`,
    "198.51.100.7",
  ).seen;

const obstacles: readonly Obstacle[] = [
  ...(["source unreachable", "target unreachable", "target is started", "lost source is back"] as const),
  ...(["target runs unasked", "source runs unasked", "source does not run", "two may sign"] as const),
  ...(["journals disagree", "another move", "later move", "later start", "log behind"] as const),
  ...(["first move", "other hosts"] as const),
];
const memory: RunMemory = { bulkCopied: true, stopped: true, backedUp: true, failed: false };
const deps = { now: () => 0, ticks: () => 0, sleep: async () => undefined, say: () => undefined };
const pair = new HostPair(exampleInputs(), deps);

/** Returns the text that a run sends to the hosts and prints, with such a journal on one of them. */
function madeOf(journal: { readonly side: "old" | "new" } & object, active: boolean) {
  const found = look(journal, active);
  const looks: HostStates = { old: { active, masked: false }, new: { active: false, masked: true } };
  const seen: HostStates = { ...looks, [journal.side]: found };
  const sent = (["forward", "back"] as const).flatMap((direction) =>
    [memory, { ...memory, failed: true }].flatMap((remembered) => {
      const wanted = { move: moveNamed("pillar-host/prod/Anvil/1"), direction };
      const next = decideNext(wanted, seen, remembered);
      if (next.do === "done" || next.do === "stop here") return [];
      return (["old", "new"] as const).map((side) =>
        sentText(next.do, pair.variables({ side, name: "", states: seen })),
      );
    }),
  );
  const told = found.journal
    ? obstacles.map((why) => formatObstacle(why, found.journal as NonNullable<typeof found.journal>, seen, places))
    : [];
  const facts = { address: "198.51.100.7", stack: "prod", pillar: "Anvil", step: "destroy", backupFaults: [] };
  const guard = {
    ...facts,
    successor: { address: "192.0.2.3", hostKey: "k", look: { silent: "" } },
    host: { facts: hostFacts({ orchestrator: { ...fenced, journal: found.journal } as typeof fenced }) },
  } as unknown as RetirementFacts;
  const unmet = [checkOrchestrator(guard)].flat().flatMap((each) => Object.values(each).flat());
  return { sent: sent.join("\n"), told: [...told, ...unmet].join("\n") };
}

const stages = exampleStages.flatMap((stage): ["old" | "new", "forward" | "back", Stage][] => {
  const isSource = lookUpStage(stage).role === "source";
  return [
    [isSource ? "old" : "new", "forward", stage],
    [isSource ? "new" : "old", "back", stage],
  ];
});

test("reads a journal of odd texts, and continues some of its sagas", () => {
  const all = stages.flatMap(([side, direction, stage]) => madeOf(written(side, direction, stage), true).sent);
  expect(all.filter((sent) => sent !== "")).toHaveLength(5);
  const usual = written("old", "forward", "fenced");
  expect(withText(usual, texts - 1, "x")).not.toEqual(usual);
  expect(withText(usual, texts, "x")).toEqual(usual);
});

test("no text of a journal reaches a host, adds an output line, or stands unquoted in a command", () => {
  const wraps = [(word: string) => word, (word: string) => `/${word}`, (word: string) => `a/${word}/Anvil/1`];
  const place = fc.integer({ min: 0, max: texts - 1 });
  type Drawn = [string, (word: string) => string, number, (typeof stages)[number], boolean];
  const examples = [...Array(texts).keys()].flatMap((at) =>
    wraps.map((wrap): Drawn => ["-oProxyCommand=id", wrap, at, ["old", "forward", "fenced"], false]),
  );
  fc.assert(
    fc.property(
      hostile,
      fc.constantFrom(...wraps),
      place,
      fc.constantFrom(...stages),
      fc.boolean(),
      (word, wrap, at, [side, direction, stage], active) => {
        const usual = written(side, direction, stage);
        const value = withText(usual, at, wrap(word));
        let made: ReturnType<typeof madeOf>;
        try {
          made = madeOf({ ...(value as typeof usual) }, active);
        } catch (error) {
          expect((error as Error).message).toMatch(
            /the journal of the orchestrator's move cannot be read|something else than a plain file name/,
          );
          return;
        }
        expectNothingOf(word, made.sent);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be told.
        expect(made.told).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
        for (const piece of word.split("\n").slice(1)) expect(made.told.split("\n")).not.toContain(piece);
        const commands = made.told.split("\n").filter((line) => /systemctl unmask|pulumi /.test(line));
        for (const line of commands) {
          expect(line).not.toMatch(/\bmv '?-(?!f )/);
          // A plain word is an argument in any place.
          if (quoteShellWord(word) !== word) expectNothingOf(word, line.replaceAll(/'(?:[^']|'\\'')*'/g, "''"));
        }
      },
    ),
    { examples, numRuns: 600 },
  );
});
