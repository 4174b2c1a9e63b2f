import { expect, test } from "vitest";
import { decideNextStep } from "../../../core/journey/decideNextStep.ts";
import type { LastRun, OrchestratorOutput } from "../../../core/journey/outputs.ts";
import type { MoveTiming, StackFacts } from "../../../core/journey/stackFacts.ts";
import type { Registration } from "../../../core/registration/registration.ts";
import type { Result } from "../../../core/util/result.ts";
import { wrapSentence } from "../../../core/util/wrapSentence.ts";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const old = "z1qzlytaqdahg5t02nz5096frflfv7dm3y7yxmg7";
const clock = Date.parse("2026-11-21T12:00:00Z");
const notes: readonly string[] = [];
const synced = { synced: true, known: true, why: "synced, newest momentum 4 s old" };
const switched = { height: 77, at: clock - 60_000 };
const own = { address, since: clock - 300_000, earlier: old, notes };

interface Changes {
  readonly node?: NonNullable<StackFacts["node"]>;
  readonly timing?: MoveTiming;
  readonly hourlyRestart?: Result<string>;
}

/** Returns the lines that a run with this registration prints. */
const step = (registration: Registration, { node = synced, timing = "now", hourlyRestart }: Changes = {}) => {
  const decision = decideNextStep({
    stack: "prod-2",
    pillar: "Anvil",
    lifecycle: "active",
    node,
    parts: { registration: { value: registration }, hourlyRestart },
    run: { timing, producerAddress: address },
  });
  expect(decision.isAddressOffered).toBe(decision.lines.some((line) => line.includes(`field: ${address}`)));
  return decision.lines;
};

/** Returns the lines on the orchestrator that a run prints above and below its next step. */
const orchestratorLines = (timing: MoveTiming, orchestrator?: OrchestratorOutput, last?: LastRun) => {
  const lines = (found: OrchestratorOutput | undefined) =>
    decideNextStep({
      stack: "prod-2",
      pillar: "Anvil",
      lifecycle: "active",
      node: synced,
      parts: { registration: { value: { kind: "registered", ...own } } },
      run: { timing, orchestrator: found, ...(last && { last }) },
    }).lines;
  const others = timing === "removed" ? lines(undefined).slice(0, -1) : lines(undefined);
  return lines(orchestrator).filter((line) => !others.includes(line));
};

test("names the wallet's clicks and the address once the node is synced", () => {
  expect(step({ kind: "earlier", address: old, wasOurs: false, notes })).toEqual([
    "The node of Anvil is synced. Now, in the desktop wallet:",
    "  1. Open the settings (the gear) and select the address of the Pillar.",
    "  2. Open Pillars, find Anvil, and choose Update Pillar.",
    `  3. Producer address field: ${address}`,
    "  4. Press Next, then Update, until it is saved.",
    "This takes effect 5 to 10 minutes later. Keep the old host running until",
    "momentums carry the new address: it produces until then.",
    `Anvil is still registered with ${old}.`,
    "A run shows the update two minutes later. If not: the chain refuses an",
    "address of another Pillar, and does not say so.",
    "Then: pulumi up -s prod-2",
  ]);
});

test("offers no address while nobody can say which one is registered", () => {
  expect(step({ kind: "unknown", why: "no node", notes })).toEqual([
    "It is unknown which address Anvil is registered with: no node.",
    "Look again with: pulumi up -s prod-2",
  ]);
});

test("proposes no retirement while the node of a registered host is not reachable", () => {
  const node = { synced: false, known: false, why: "no answer" };
  expect(step({ kind: "producing", ...own, switched }, { node })).toEqual([
    "Anvil has produced here since momentum 77 (2026-11-21 11:59 UTC).",
    "This host's node is not reachable now (no answer): newer momentums were not read.",
    "Look again with: pulumi up -s prod-2",
  ]);
});

test("names the orchestrator's move before the first click if none is configured", () => {
  const earlier = { kind: "earlier", address: old, wasOurs: false, notes } as const;
  expect(step(earlier, { timing: "none" })[1]).toMatch(/^ {2}0\. .* orchestrator, move it here first:/);
});

const first = [
  "The orchestrator moves in the next run, because this run did not begin with a synced node. Run again now, and watch it:",
  "  pulumi up -s prod-2",
];
const last = { height: 76, at: clock - 90_000, isOurs: false };
const after = "Update the wallet after that run. Its last lines tell you what to do in the wallet for Anvil.";

test("the orchestrator's move holds back the wallet's clicks, the address, and the old host's retirement", () => {
  expect(step({ kind: "earlier", address: old, wasOurs: false, notes }, { timing: "later" })).toEqual([
    ...first,
    after,
  ]);
  const foreign = step({ kind: "foreign", address: old, wasOurs: false, last, notes }, { timing: "later" });
  expect(foreign[0]).toMatch(/^WARNING: /);
  expect(foreign.slice(2, 4)).toEqual(first);
  expect(foreign.join()).not.toContain(address);
  const producing = step({ kind: "producing", switched, ...own }, { timing: "later" });
  expect(producing.slice(-2)).toEqual(first);
  expect(producing.join()).not.toContain("retire");
});

test("names the wallet for a synced node whose address was registered before", () => {
  const lines = step({ kind: "earlier", address: old, wasOurs: true, notes });
  expect(lines).toContain(`  3. Producer address field: ${address}`);
  expect(lines.at(-4)).toBe(
    `Anvil is registered with ${old} again: this host stays elected for 5 to 10 minutes after the wallet update: keep it running until momentums carry the other address.`,
  );
});

test.each<MoveTiming>(["none", "now", "later", "unwatched"])(
  "offers neither address nor clicks nor a move for a name that no Pillar has: %s",
  (timing) => {
    expect(step({ kind: "unknownPillar", notes }, { timing })).toEqual([
      "WARNING: No Pillar with the name Anvil is registered (pillar-host:pillar.name).",
      "Change nothing in the wallet: it shows the right name under Pillars. Upper and lower case count. Similar names:",
      "  ./pillar-host check prod-2",
      "Correct the name, in the old host's stack too if there is one. Nothing has to be deployed or synced again:",
      "  pulumi config set --type string --path pillar-host:pillar.name NAME -s prod-2",
      "  pulumi up -s prod-2",
    ]);
  },
);

test.each([
  [true, "syncing", "not synced now (syncing)"],
  [false, "no answer within 20 s", "not reachable now (no answer within 20 s)"],
])("warns off the wallet, without an address, if the node is not synced (known: %s)", (known, why, said) => {
  const lines = step({ kind: "earlier", address: old, wasOurs: false, notes }, { node: { synced: false, known, why } });
  expect(lines).toContain(`Do not touch the wallet: the node of Anvil is ${said}.`);
  expect(lines.at(-1)).toBe("Look again with: pulumi up -s prod-2");
});

test("says how slots come and to keep the old host once registered", () => {
  expect(step({ kind: "registered", ...own })).toEqual([
    "Anvil has had this host's producer address since 2026-11-21 11:55 UTC or longer, and no momentum with it yet: the slots change hands 5 to 10 minutes after the wallet update; then a Pillar among the first 30 by weight waits for minutes, any other up to some hours.",
    "Keep the old host running: it produces until momentums carry the new address.",
    "If no momentum comes for some hours, check the node's sync and clock:",
    "  ./pillar-host status prod-2",
    "Look again, or watch it:",
    "  pulumi up -s prod-2",
    "  ./pillar-host status prod-2 --watch --keep",
  ]);
});

test("prints the commands that retire the old host once this one produces, then the rewards", () => {
  const lines = step({ kind: "producing", ...own, switched });
  expect(lines[0]).toBe("Anvil has produced here since momentum 77 (2026-11-21 11:59 UTC).");
  expect(lines).toContain("  ./pillar-host retire OLD --successor prod-2");
  expect(lines).toContain("  ./pillar-host adopt OLD ADDRESS --like prod-2");
  expect(lines.slice(-3)).toEqual([
    "Once the rewards of Anvil are paid, collect them in the wallet.",
    "Then delete the old host:",
    "  pulumi destroy -s OLD",
  ]);
});

test.each<[Result<string>, string]>([
  [{ value: "/etc/crontab: x" }, "Something on the host restarts the node at times; remove it there: /etc/crontab: x"],
  [
    { problem: "not read" },
    "The crontab could not be read: crontab -l on the host must show the line of the hourly restart with a",
  ],
])("names what may restart the node: %j", (hourlyRestart, line) => {
  expect(step({ kind: "producing", ...own, switched }, { hourlyRestart })[1]).toContain(line);
});

test.each([
  [own, `producer address: ${old}.`],
  [{ address, since: clock, notes }, "producer address: the address registered before, as the old host's Status shows"],
])("warns of a registration before the sync, with the steps to undo it", (registration, way) => {
  const lines = step({ kind: "tooEarly", why: "syncing", ...registration }, { node: { ...synced, synced: false } });
  const warning = "WARNING: Anvil is registered with this host's address while its node is not synced (syncing).";
  expect(lines[0]).toBe(warning);
  expect(lines[2]).toContain(`The way back, while the old host runs: in the wallet, Update Pillar Anvil, ${way}`);
  expect(lines.join()).not.toContain("address field");
});

test("warns of somebody else's address, and proposes no wallet if the Pillar left this host", () => {
  const lines = step({ kind: "foreign", address: "z1qother", wasOurs: true, notes });
  const warning = "WARNING: Anvil is registered with z1qother, neither this host's address nor the one before it.";
  expect(lines[0]).toBe(warning);
  expect(lines.join()).not.toContain("address field");
  const slip = step({ kind: "foreign", address: "z1qother", wasOurs: false, notes });
  expect(slip[1]).toBe("Was that a slip in the wallet? Then update it again:");
  expect(slip.join()).toContain("address field");
  expect(slip.at(-1)).toContain("retire");
});

const shown = { side: "new", address: "203.0.113.9", why: "moved", attempt: 1, rpcPort: 55000, version: "v0.0.9a" };

test.each([
  ["later", "  pulumi up -s prod-2"],
  ["unwatched", "  env -u PILLAR_HOST_UNATTENDED pulumi up -s prod-2"],
] as const)("proposes the run that moves the orchestrator before the wallet's update: %s", (timing, command) => {
  expect(step({ kind: "earlier", address: old, wasOurs: false, notes }, { timing })[1]).toBe(command);
  expect(orchestratorLines(timing, shown)).toEqual([]);
});

test("says where the orchestrator stays if the move is removed from the configuration", () => {
  expect(orchestratorLines("removed", shown)).toEqual([
    "pillar-host:orchestrator.move is no longer true: nothing was changed on either host, the orchestrator stays on the new host (203.0.113.9).",
  ]);
});

test("says once after a move what to do about the health page, and once about the key of a new address", () => {
  const moved = { ...shown, rpcPort: 5000 };
  const page =
    /signs here now, on 203\.0\.113\.9 .*health page .*\n203\.0\.113\.9, and port 5000 is open .*orchestrator\.rpcFrom/s;
  const key = "The orchestrator signs with the old host's key.";
  const first = orchestratorLines("now", moved).join("\n");
  expect(first).toMatch(page);
  expect(first).toContain(key);
  const ran: LastRun = { finished: true, orchestrator: moved };
  const registered = orchestratorLines("now", moved, { ...ran, registration: { state: "earlier", registered: false } });
  expect(registered.join("\n")).toContain(key);
  expect(registered.join("\n")).not.toMatch(page);
  expect(orchestratorLines("now", moved, { ...ran, registration: { state: "registered", registered: true } })).toEqual(
    [],
  );
});

test("fits on a screen of 80 columns and 24 rows, with what the engine prints around it", () => {
  const earlier = { kind: "earlier", address: old, wasOurs: false, notes } as const;
  const longest = [
    step(earlier, { timing: "none" }),
    step({ kind: "producing", ...own, switched }),
    step({ kind: "registered", ...own }),
    [...orchestratorLines("now", shown).slice(0, 3), ...step(earlier)],
  ];
  for (const lines of longest) {
    const printed = lines.flatMap(wrapSentence);
    for (const line of printed) expect(line.length, line).toBeLessThanOrEqual(74);
    // Above it stand two headings; below it Resources, Duration and the prompt.
    expect(printed.length).toBeLessThanOrEqual(24 - 8);
  }
});

test("says how to move again after a rollback", () => {
  const back = { ...shown, side: "old", address: "198.51.100.7" };
  expect(orchestratorLines("now", back).at(-1)).toBe(
    "  pulumi config set --path pillar-host:orchestrator.attempt 2 -s prod-2 && pulumi up -s prod-2",
  );
  expect(orchestratorLines("now", { ...back, why: "nothing to roll back" })).toEqual([
    "The orchestrator signs on the old host (198.51.100.7): there was nothing to roll back.",
  ]);
});

test("says how to forget an orchestrator that another stack moved on", () => {
  expect(orchestratorLines("now", { ...shown, why: "moved on" }).at(-1)).toBe(
    "  pulumi config rm --path pillar-host:orchestrator.move -s prod-2",
  );
});
