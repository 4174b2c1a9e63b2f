import { describe, expect, test } from "vitest";
import type { Journal, OrchestratorObservation, Saga } from "../../../../core/orchestrator/rules/journal.ts";
import { describeKeyHolder } from "../../../../core/orchestrator/rules/keyHolder.ts";
import { formatObstacle } from "../../../../core/orchestrator/rules/obstacles.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { exampleJournal, exampleMove, exampleState, examplePlaces as places } from "../exampleMove.ts";

const aside = "producer.moved-to-203.0.113.9-20260101T000000Z";
const here = { keyStore: aside, other: { address: places.new, hostKey: "" } };
const at = (
  side: Journal["side"],
  stage: Journal["stage"],
  look: OrchestratorObservation,
  more: Partial<Journal> = {},
) => ({
  journal: exampleJournal(side, stage, { ...here, ...more }),
  ...look,
});
const signs = { active: true, masked: false };
const fenced = { active: false, masked: true };
const next = moveNamed("pillar-host/next/Anvil/1");
const elsewhere = { move: next, other: { address: "192.0.2.4", hostKey: "" } };
const oldHost = "the old host (198.51.100.7)";
const newHost = "the new host (203.0.113.9)";

const toThird = "The key is on 192.0.2.4: pillar-host/next/Anvil/1 moved it there from NEW.";
const unknown =
  "Which host has the key is unknown: both hosts are unreachable. Each host's /var/lib/pillar-host/orchestrator.json tells.";

test.each<[string, string, string, Partial<Journal>?]>([
  ["- signs", "- unmasked", "The key is on OLD, which signs; NEW runs none."],
  ["fenced", "-", "The key is on OLD, which is stopped and fenced; NEW is fenced. Nobody signs now."],
  ["fenced signs", "-", "The key is on OLD, which signs; NEW is fenced."],
  ["gone", "switched", "The key is on NEW, which is stopped and fenced; OLD is unreachable."],
  // A restored snapshot of the old host:
  ["- signs", "running signs", "The key is on NEW, which signs; OLD runs one, too: two may sign now."],
  ["- signs", "running unmasked", "The key is on NEW, which does not run now; OLD runs one."],
  ["fenced unmasked", "running signs", "The key is on NEW, which signs; OLD runs none, but nothing fences it."],
  ["fenced", "moved", toThird, elsewhere],
  ["fenced signs", "moved", `${toThird} But an orchestrator runs on OLD: two may sign now.`, elsewhere],
  ["moved", "gone", "The key is on NEW, which is unreachable; OLD is fenced."],
  ["gone", "gone", unknown],
])("says where the key is, with %s and %s: %s", (old, fresh, line, more = here) => {
  const states = { old: exampleState("old", old, here), new: exampleState("new", fresh, more) };
  expect(describeKeyHolder(states, places)).toBe(line.replace("OLD", oldHost).replace("NEW", newHost));
});

describe("an obstacle", () => {
  const forward: Saga = { move: exampleMove, direction: "forward" };
  const up = "pulumi up -s prod";
  const rollback = `pulumi config set --path pillar-host:orchestrator.rollback true -s prod && ${up}`;
  const stop = (address: string, unit: string) =>
    `on ${address}: systemctl stop ${unit} && { [ ! -f /etc/systemd/system/${unit}.service ] || mv -f /etc/systemd/system/${unit}.service /etc/systemd/system/${unit}.service.moved; } && ln -sfn /dev/null /etc/systemd/system/${unit}.service && systemctl daemon-reload && systemctl is-active ${unit} (it must say inactive)`;

  test("names the second orchestrator's host and unit; offers to keep that of a lost host that is back", () => {
    const states = { old: signs, new: at("new", "running", signs) };
    const text = formatObstacle("two may sign", forward, states, places);
    expect(text).toContain(`an orchestrator runs on ${oldHost}, or can start there, where by the journals none may`);
    expect(text).toContain(`  Stop it at once, ${stop(places.old, "signer")}\n  Then: ${up}\n`);
    const lost = { old: signs, new: at("new", "starting", fenced) };
    const file = "/var/lib/pillar-host/orchestrator.json";
    expect(formatObstacle("lost source is back", forward, lost, places)).toContain(
      `Or keep that host's orchestrator: ${stop(places.new, "orchestrator")}; there, mv ${file} ${file}.aside; then ${up}`,
    );
    expect(formatObstacle("lost source answers", forward, lost, places)).toContain(
      `pulumi config rm --path pillar-host:orchestrator.restoreFrom -s prod && ${up}`,
    );
  });

  test("asks which host signs, offers to leave it, or to confirm a move by hand after an unknown start", () => {
    const saga = { ...forward, move: next, generation: 2 };
    const text = formatObstacle("later start", saga, { old: signs, new: fenced }, places);
    expect(text).toContain(
      `${oldHost} does not know of this orchestrator's last start: generation 2, pillar-host/next/`,
    );
    expect(text).toContain("  found: no journal on the old host\n");
    expect(text).toContain("  on 198.51.100.7: systemctl is-active signer;");
    expect(text).toContain(`pulumi config rm --path pillar-host:orchestrator.move -s prod && ${up}`);
    expect(text).toContain(`pillar-host:orchestrator.laterThanMove 2 -s prod && ${up}`);
  });

  test("names the other stack, and how to leave the orchestrator to it", () => {
    const there = at("new", "moved", fenced, elsewhere);
    const text = formatObstacle("another move", there.journal, { old: fenced, new: there }, places);
    expect(text).toContain("took this orchestrator elsewhere: pillar-host/next/Anvil/1");
    expect(text).toContain("Finish it with its own stack first: pulumi up -s next");
    expect(text).toContain(`pulumi config rm --path pillar-host:orchestrator.move -s prod && ${up}`);
  });

  test("prints the commands to continue and to roll back after the new host's start", () => {
    const states = { old: at("old", "fenced", fenced), new: at("new", "starting", signs) };
    expect(formatObstacle("target is started", forward, states, places)).toBe(
      [
        `the orchestrator of ${newHost} was started, so the program undoes nothing: two orchestrators must never run at once`,
        `  To go on: fix what is said above, then ${up}`,
        `  To go back: ${rollback}`,
        `The key is on ${newHost}, which signs; ${oldHost} is fenced.`,
      ].join("\n"),
    );
  });
});
