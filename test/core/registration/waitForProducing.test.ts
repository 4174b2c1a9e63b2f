import { describe, expect, test } from "vitest";
import type { Registration } from "../../../core/registration/registration";
import { waitForProducing } from "../../../core/registration/waitForProducing";
import { silent } from "../chain/readings";
import { clock, old, ours } from "./chains";

const hour = 3_600_000;
const own = { address: ours, since: clock, notes: [] };
const still: Registration = { kind: "earlier", address: old, earlier: old, wasOurs: false, notes: [] };
const wait = {
  from: clock + 600_000,
  usually: clock + 900_000,
  surely: clock + 1_800_000,
  standing: "one of 3 Pillars, all of them in every tick of 5 min",
};
const registered: Registration = { kind: "registered", wait, isLate: false, ...own };
const late: Registration = { kind: "registered", wait, isLate: true, ...own };
const tooEarly: Registration = { kind: "tooEarly", why: "syncing", earlier: old, ...own };
const producing: Registration = { kind: "producing", switched: { height: 77, at: clock }, ...own };
const notes = [{ kind: "leftOut", reading: silent("node") }] as const;
const unknown: Registration = { kind: "unknown", why: { kind: "nobodyTells", notes }, notes };

/** A world whose time passes in sleeps only; looks find the list in turn, its last item for ever after. */
function worldOf(found: readonly Registration[], goneAfterLooks = Number.POSITIVE_INFINITY) {
  const seen = { looks: 0, ticks: 5e8, lines: [] as string[], notices: [] as string[] };
  const engine = new AbortController();
  const deps = {
    look: async () => {
      const next = found[Math.min(seen.looks, found.length - 1)] as Registration;
      seen.looks += 1;
      if (seen.looks >= goneAfterLooks) engine.abort();
      return next;
    },
    now: () => clock + seen.ticks - 5e8,
    ticks: () => seen.ticks,
    sleep: async (milliseconds: number) => {
      seen.ticks += milliseconds;
    },
    say: (line: string) => void seen.lines.push(line),
    notify: (event: string, text: string) => void seen.notices.push(`${event}: ${text}`),
    signal: engine.signal,
  };
  return { deps, seen };
}
const options = { stack: "prod", pillar: "Anvil", ours, address: "203.0.113.7", deadline: 12 * hour, isOnce: false };

describe("waits", () => {
  test("through the wallet, an outage, an update too early and the elections; each is said once", async () => {
    const all = [still, still, unknown, unknown, tooEarly, tooEarly, registered, registered, late, producing];
    const { deps, seen } = worldOf(all);
    expect(await waitForProducing(options, deps)).toBe(producing);
    expect(seen.looks).toBe(all.length);
    expect(seen.lines).toEqual([
      `cutover: Anvil is still registered with ${old}`,
      "cutover: waiting for this in the desktop wallet (to stop: Ctrl-C twice; to go on: pulumi up -s prod):",
      "cutover:   1. Open the settings (the gear icon) and select the address of the Pillar.",
      "cutover:   2. Open Pillars, find Anvil, and choose Update Pillar.",
      `cutover:   3. Paste this into the producer address field: ${ours}`,
      "cutover:   4. Press Next, then Update, until it is saved.",
      "cutover: it is unknown which address Anvil is registered with: node is left out: ECONNREFUSED",
      "cutover: node is left out: ECONNREFUSED",
      "cutover: Anvil is registered with this host's address while its node is not synced (syncing)",
      `cutover: The way back, while the old host runs: in the wallet, Update Pillar Anvil, producer address: ${old}`,
      "cutover: Anvil is registered with this host's address, and no momentum carries it yet: elections are fixed two ticks ahead, its slots are the old address's until 2026-11-21 12:10 UTC; usually it produces by 2026-11-21 12:15 UTC, and all but certainly by 2026-11-21 12:30 UTC (one of 3 Pillars, all of them in every tick of 5 min)",
      expect.stringMatching(
        /: that is longer than all but one of 10,000 healthy ones wait \(.*; seen registered 1 min ago\)$/,
      ),
      "cutover: Anvil has produced here since momentum 77 (2026-11-21 12:00 UTC)",
    ]);
    expect(seen.notices).toEqual(["producing: Anvil has produced here since momentum 77 (2026-11-21 12:00 UTC)"]);
  });

  test("and says every ten minutes that it does", async () => {
    const { deps, seen } = worldOf([...Array.from({ length: 181 }, () => registered), producing]);
    await waitForProducing(options, deps);
    expect(seen.lines.filter((line) => line.includes("no momentum"))).toHaveLength(4);
  });

  test("not at all where it produces already", async () => {
    const { deps, seen } = worldOf([producing]);
    await waitForProducing(options, deps);
    expect([seen.looks, seen.ticks, seen.lines.length]).toEqual([1, 5e8, 1]);
  });
});

describe("gives up", () => {
  test("at the deadline: where it stands, and how it goes on", async () => {
    const { deps, seen } = worldOf([still]);
    await expect(waitForProducing({ ...options, deadline: 3_605_000 }, deps)).rejects.toThrow(
      [
        "203.0.113.7: no momentum carries this host's producer address yet, waited 1 h 00 min (pillar-host:cutover.deadline)",
        `  last seen: Anvil is still registered with ${old}`,
        "  Keep the old host running, and update the wallet if that is still to be done.",
        "  Nothing is lost. To go on waiting: pulumi up -s prod\n  Not to wait: pulumi config rm --path pillar-host:cutover.wait -s prod",
      ].join("\n"),
    );
    expect(seen.ticks - 5e8).toBe(3_605_000);
    expect(seen.notices).toEqual([expect.stringMatching(/^deadline: no momentum carries/)]);
  });

  test("as awaiting after one lookup in a run that does not wait, with what is to do in the wallet", async () => {
    const { deps, seen } = worldOf([still]);
    const error = await waitForProducing({ ...options, isOnce: true }, deps).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      isAwaiting: true,
      message: expect.stringContaining(
        "and this run does not wait (pillar-host:sync.wait is await)\n  last seen: Anvil is still",
      ),
    });
    expect(seen.lines).toContain("cutover: to do in the desktop wallet:");
    expect([seen.looks, seen.ticks, seen.notices]).toEqual([1, 5e8, []]);
  });

  test("when the engine is gone", async () => {
    const { deps, seen } = worldOf([registered], 3);
    await expect(waitForProducing(options, deps)).rejects.toThrow("the engine that waited is gone");
    expect(seen.looks).toBe(3);
  });
});
