import { describe, expect, test } from "vitest";
import type { Holder } from "../../cli/lock";
import { decideLocks, type Held } from "../../cli/lockTexts";

const held = (holder: Holder, changes: Partial<Held["lock"]> = {}): Held => ({
  lock: { user: "ada", host: "desk", pid: 4242, since: Date.parse("2026-11-21T14:49:32Z"), ...changes },
  holder,
});
const who = "process 4242 of ada on desk, since 2026-11-21 14:49 UTC";

describe("a stack's locks", () => {
  test("are cleared where all runs are gone", () => {
    expect(decideLocks("prod", [held("gone")], "desk", false)).toEqual({
      clear: true,
      text: `lock: ${who}. That run is gone: cleared (pulumi cancel).`,
    });
  });

  test.each([false, true])("stay while a run lives, whatever the operator says (--lock-is-stale: %s)", (overruled) => {
    const { clear, text } = decideLocks("prod", [held("gone", { pid: 1 }), held("lives")], "desk", overruled);
    expect(clear).toBe(false);
    expect(text).toBe(`prod is locked by a run that is at work: ${who}
Nothing was changed. Let it go on (./pillar-host status prod --watch shows how far it is). To stop it, press Ctrl-C
in its terminal, a second time where it waits for the sync; or: kill -INT 4242
  then: ./pillar-host resume prod`);
  });

  test("of another machine stay, and the text says what clearing them risks", () => {
    const { clear, text } = decideLocks("prod", [held("unknown")], "laptop", false);
    expect(clear).toBe(false);
    expect(text).toBe(`prod is locked by ${who} (not this machine, laptop)
Nothing was changed. Only if you know that this run is gone:
  ./pillar-host resume prod --lock-is-stale
If it lives all the same, two runs then work on one host and write one state: what the first one to end has recorded is
lost.`);
  });

  test("of another machine are cleared where the operator says so", () => {
    expect(decideLocks("prod", [held("unknown")], "laptop", true)).toEqual({
      clear: true,
      text: `lock: ${who} (not this machine, laptop). Cleared, as --lock-is-stale says.`,
    });
  });

  test("of this machine's unclear process ids say so", () => {
    expect(decideLocks("prod", [held("unknown")], "desk", false).text).toContain(
      `prod is locked by ${who} (its process id is in use, perhaps by another run)\n`,
    );
  });

  test("of which the backend tells nothing stay, too", () => {
    const { clear, text } = decideLocks("prod", [], "desk", false);
    expect(clear).toBe(false);
    expect(text).toMatch(/^prod is locked by a run of which the backend tells nothing\n/);
    expect(decideLocks("prod", [], "desk", true).clear).toBe(true);
  });
});
