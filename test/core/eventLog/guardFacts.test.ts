import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EventName, LogEvent, MoveEvent } from "../../../core/eventLog/events.ts";
import {
  type FactName,
  findShutdownWithoutOrchestrator,
  findValidEvents,
  guardFacts,
} from "../../../core/eventLog/guardFacts.ts";
import { computeFingerprint } from "../../../core/ssh/publicKey.ts";
import { moveNamed } from "../../moveNamed.ts";

const line = (event: EventName, stack = "prod", details: object = {}) =>
  ({ at: "2026-11-21T18:00:00Z", stack, pillar: "Anvil", event, details }) as LogEvent;
const facts = Object.entries(guardFacts) as [FactName, (typeof guardFacts)[FactName]][];
const cases = facts.flatMap(([fact, { saidBy, voidedBy }]) =>
  saidBy.flatMap((said) => voidedBy.map((voiding): [FactName, EventName, EventName] => [fact, said, voiding])),
);

describe("a fact of the event log", () => {
  it.each(cases)("does not count %s by %s after %s", (fact, said, voiding) => {
    expect(findValidEvents([line(said)], "prod", fact)).toHaveLength(1);
    expect(findValidEvents([line(said), line(voiding, "other")], "prod", fact)).toHaveLength(1);
    const after = findValidEvents([line(said), line(voiding)], "prod", fact);
    expect(after.some(({ event }) => event === said)).toBe(said === voiding);
    expect(findValidEvents([line(said), line(voiding), line(said)], "prod", fact).at(-1)?.event).toBe(said);
  });

  it.each(["released", "reactivated"] as const)("ends, for a shutdown, with %s", (event) => {
    expect(guardFacts.shutDown.voidedBy).toContain(event);
  });
});

describe("a host on which no orchestrator was", () => {
  const host = { address: "192.0.2.1", hostKey: "ssh-ed25519 T0xE" };
  const key = computeFingerprint(host.hostKey);
  const shut = line("shutDown", "prod", { ...host, hasSigner: false });
  const since = (...later: (LogEvent | MoveEvent)[]) => findShutdownWithoutOrchestrator([shut, ...later], "prod", host);
  const move = (text: string, event: string, details: object = {}) =>
    ({ at: "2026-11-22T18:00:00Z", move: moveNamed(text), event, details }) as MoveEvent;
  const way = (source: string, target: string) => ({ direction: "forward", generation: 1, source, target });

  it("stays one while no event contradicts", () => {
    const other = move("pillar-host/prod-2/Anvil/1", "begun", way("SHA256:x", "SHA256:y"));
    expect(since(line("refused"), line("producing", "prod-2"), line("host", "prod-2", { address: "b" }), other)).toBe(
      shut.at,
    );
    // The last backup of a destroy that was cut off.
    expect(since(move("pillar-host/prod/Anvil", "backup", { label: "retired" }))).toBe(shut.at);
  });

  it.each<[string, LogEvent | MoveEvent]>([
    ["its stack produces again", line("producing")],
    ["its retirement is taken back", line("reactivated")],
    ["another stack has it", line("host", "old", { ...host, provider: "existing", isOwnWork: false })],
    ["a move of its own stack is prepared", move("pillar-host/prod/Anvil/1", "secured")],
    ["a move begins from it", move("pillar-host/x/Anvil/1", "begun", way(key, "SHA256:y"))],
    ["a move starts on it", move("pillar-host/x/Anvil/1", "starting", way("SHA256:x", key))],
  ])("ends once %s", (_, later) => {
    expect(since(later)).toBeUndefined();
  });

  it.each([
    ["an orchestrator was seen", { ...host, hasSigner: true }],
    ["its host's key is unknown", { address: host.address, hasSigner: false }],
    ["it was of another machine", { ...host, hostKey: "ssh-ed25519 T1RIRVI=", hasSigner: false }],
  ])("is not assumed if %s", (_, details) => {
    expect(findShutdownWithoutOrchestrator([line("shutDown", "prod", details)], "prod", host)).toBeUndefined();
  });
});

it("is read only through the table by guards, steps and providers", () => {
  const root = join(import.meta.dirname, "../../..");
  // The registration is of an address, not of a host; a move's own lines have their rules.
  const others = /^core\/(eventLog|registration|orchestrator)\/|orchestratorPresence|unproved\.ts$/;
  const files = globSync("{core,components,providers,cli/status/parts}/**/*.ts", { cwd: root });
  const names = facts.flatMap(([, { saidBy }]) => saidBy).join("|");
  const reads = new RegExp(`event\\)? ?===? ?"(${names})"|\\["(${names})"[\\s\\S]{0,80}\\]\\.includes\\(event`);
  const past = files.filter((file) => !others.test(file) && reads.test(readFileSync(join(root, file), "utf8")));
  expect(files.length).toBeGreaterThan(200);
  expect(past).toEqual([]);
});
