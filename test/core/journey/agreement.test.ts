import fc from "fast-check";
import { expect, test } from "vitest";
import { decideStage, listFacts } from "../../../cli/status/hostStage.ts";
import type { StackView } from "../../../cli/status/stackView.ts";
import { type Decision, decideNextStep, isMoveLater, type RunStep } from "../../../core/journey/decideNextStep.ts";
import { decideMigration } from "../../../core/journey/migration.ts";
import { type LastRun, parseOutputs } from "../../../core/journey/outputs.ts";
import { createSettings, type StackFacts } from "../../../core/journey/stackFacts.ts";
import { stackStages } from "../../../core/journey/stackStages.ts";
import { createRegistrationOutput, mayShowAddress } from "../../../core/registration/registration.ts";
import {
  finishedRun,
  lives,
  ours,
  partsOf,
  progress,
  registrations,
  stepConfig,
  unmet,
  viewOf,
} from "../../cli/exampleView.ts";

const orchestrator = { side: "new", address: "203.0.113.7", why: "moved", attempt: 1, rpcPort: 55000 };
const shows = (lines: readonly string[]) => lines.some((line) => line.includes(`field: ${ours}`));
const commandOf = ({ step }: Pick<Decision, "step">) =>
  step.kind === "run" ? (step satisfies RunStep).line : undefined;

/** Returns false for the lines on the move, because only the run itself says why it did not move the orchestrator. */
const isOther = (line: string) => !/^The orchestrator moves|^ {2}(env -u \S+ )?pulumi up/.test(line);

const worlds = fc.record({
  registration: fc.constantFrom(...Object.values(registrations)),
  isSynced: fc.boolean(),
  isDoubted: fc.boolean(),
  isMoveConfigured: fc.boolean(),
  hasMoved: fc.boolean(),
  isUnattended: fc.boolean(),
});

/** Returns the decision of a run at the end of which the world is so, and what the run leaves in the state. */
function run(world: typeof worlds extends fc.Arbitrary<infer T> ? T : never, view: StackView) {
  const { registration, isMoveConfigured, hasMoved, isUnattended } = world;
  const pending = isUnattended ? "unwatched" : "later";
  const configured = hasMoved ? "now" : pending;
  const { node, ...facts } = listFacts(view);
  const timing = isMoveConfigured ? configured : hasMoved ? "removed" : "none";
  const decision = decideNextStep({
    stack: facts.stack,
    pillar: facts.pillar,
    lifecycle: facts.lifecycle,
    ...(node && { node }),
    parts: { registration: { value: registration } },
    run: {
      timing,
      orchestrator: hasMoved ? orchestrator : undefined,
      producerAddress: ours,
    },
  });
  const outputs = {
    nextStep: [...decision.lines],
    registration: createRegistrationOutput(registration),
    producerAddress: node && mayShowAddress(node, registration, isMoveLater(timing)) ? ours : undefined,
    orchestrator: hasMoved ? orchestrator : undefined,
  };
  return { decision, last: parseOutputs(JSON.parse(JSON.stringify(outputs))) };
}

test("up, next, status and migrate agree at the end of every run", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(worlds, (world) => {
      const { registration, isSynced, isMoveConfigured, isDoubted } = world;
      const changes: Partial<StackView> = {
        locks: [],
        synced: isSynced,
        sync: progress(isDoubted ? { why: { kind: "unwitnessed", text: "no witness" } } : {}),
        settings: createSettings(stepConfig(isMoveConfigured ? { move: true } : {})),
        parts: partsOf(registration),
      };
      const { decision: up, last } = run(world, viewOf(changes));
      const view = viewOf({ ...changes, state: { isBegun: true, pending: [], last } });
      const next = decideNextStep(listFacts(view));
      const status = decideStage(view);
      const migrate = decideMigration({
        old: "old",
        fresh: view.stack,
        freshStack: listFacts(view),
        oldStack: listFacts(viewOf({ stack: "old", lifecycle: "adopted", locks: [], parts: partsOf() })),
      });
      seen.add(next.stage);
      expect([next.stage, next.before, commandOf(next)]).toEqual([up.stage, up.before, commandOf(up)]);
      expect(status.stage).toBe(stackStages[next.stage][1]);
      expect(status.next).toBe(next.next);
      expect(next.lines.filter(isOther)).toEqual(up.lines.filter(isOther));
      expect([shows(next.lines), shows(up.lines)]).toEqual([next.isAddressOffered, next.isAddressOffered]);
      // A migration has one more step only once nothing is left to do on the new stack alone.
      if (next.step.kind !== "none") expect(migrate).toEqual(next);
      else expect(commandOf(migrate)).toBe(`./pillar-host retire old --successor ${view.stack}`);
    }),
    { numRuns: 2000 },
  );
  expect([...seen].sort()).toEqual(
    [
      "behind",
      "foreign",
      "producing",
      "registered",
      "tooEarly",
      "unknownPillar",
      "unseen",
      "wallet",
      "wentBack",
    ].sort(),
  );
});

const lastRuns: readonly LastRun[] = [
  { finished: false },
  { finished: false, isAwaiting: true },
  finishedRun,
  { finished: true, orchestrator },
  { ...finishedRun, orchestrator: { ...orchestrator, side: "old" } },
];
const anyFacts: fc.Arbitrary<StackView> = fc
  .record({
    lifecycle: fc.constantFrom("active", "adopted", "retiring"),
    isBegun: fc.boolean(),
    last: fc.constantFrom(...lastRuns),
    pending: fc.subarray([{ operation: "creating", type: "t", name: "n" }]),
    locks: fc.constantFrom(undefined, [], [lives], [{ ...lives, holder: "gone" as const }]),
    synced: fc.boolean(),
    settings: fc.constantFrom({}, { move: true }, { move: true, firstMove: "acknowledged" }, { rollback: true }),
    registration: fc.constantFrom(...Object.values(registrations)),
    node: fc.constantFrom(
      { problem: "no answer" },
      { value: { active: true, masked: false } },
      { value: { active: false, masked: true } },
    ),
    destroy: fc.constantFrom({ problem: "no answer" }, { value: [] }, { value: [unmet] }),
  })
  .map(({ isBegun, last, pending, settings, registration, node, destroy, ...rest }) =>
    viewOf({
      ...(rest as Pick<StackView, "lifecycle" | "locks" | "synced">),
      state: { isBegun, last, pending },
      settings: createSettings(stepConfig(settings)),
      parts: partsOf(registration, { node, destroy }),
    }),
  );

test("no command contradicts another one, whatever the facts", () => {
  fc.assert(
    fc.property(anyFacts, anyFacts, (fresh, old) => {
      for (const view of [fresh, old]) {
        const next = decideNextStep(listFacts(view));
        const { needs, ...status } = decideStage(view);
        const command = commandOf(next);
        expect(status).toEqual({ stage: stackStages[next.stage][1], next: next.next });
        expect(shows(next.lines)).toBe(next.isAddressOffered);
        // The printed command is the one that migrate runs.
        if (command)
          expect([next.lines.join("\n"), next.next]).toEqual([
            expect.stringContaining(command),
            expect.stringContaining(command),
          ]);
        if (next.step.kind === "run") expect(needs).not.toBe("nothing");
      }
      const facts: StackFacts[] = [listFacts(fresh), { ...listFacts(old), stack: "old" }];
      const [freshStack, oldStack] = facts;
      const both = { old: "old", fresh: "prod", freshStack, oldStack };
      const migrate = decideMigration(both);
      const alone = facts.map(decideNextStep);
      // A migration offers the address where the new stack's own step does, and its own sentences never do.
      expect(shows(migrate.lines) && !alone[0]?.isAddressOffered).toBe(false);
      // A command that runs on a stack is that stack's own next step, or one of the steps that join both.
      const { step } = migrate;
      if (step.kind !== "run" || ["adopt", "move", "withdraw", "retire", "init"].includes(step.command)) return;
      expect(alone.map(({ step: own }) => own)).toContainEqual(step);
    }),
    { numRuns: 3000 },
  );
});
