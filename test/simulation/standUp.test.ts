import { describe, expect, test } from "vitest";
import { replaceAll } from "../core/steps/sandbox.ts";
import { type Program, program, searchStandUp } from "./standUp.ts";

const resumeUnlessSynced: Program["decideResumption"] = (kept) => (kept.syncedAt ? "keep" : "resume");
const patched = (from: string, to: string): Partial<Program> => ({
  script: (text) => replaceAll(text, [[from, to]]),
});

describe("gate, hourly restart and producer address in all histories of a stand-up", () => {
  test("keeps every promise in all histories", async () => {
    const { found, ...figures } = await searchStandUp(program);
    expect(found).toBeUndefined();
    console.log(
      `a stand-up: ${figures.states} states, ${figures.transitions} transitions, depth ${figures.depth}: exhausted`,
    );
    expect(figures.states).toBeGreaterThan(500);
  });

  test.each<[string, Partial<Program>, string]>([
    ["a proof that outlives a reinstallation", { decideResumption: resumeUnlessSynced }, "never synced"],
    ["an address that is shown after any earlier proof", { mayShowAddress: () => true }, "while the node is behind"],
    [
      "a lookup that trusts only the host's own marker of the sync",
      patched('[ "$node_synced" = yes ] || is_marked synced', "is_marked synced"),
      "off for good",
    ],
    [
      "a restart line that is set on a synced host",
      patched('[ "$cron_action" = on ] && is_marked synced', "false"),
      "on a host that knows its sync",
    ],
    ["a host that does not mark its sync", patched("is_marked synced || mark synced\n", ":\n"), "off for good"],
  ])("finds the mistake: %s", async (_what, mistake, why) => {
    const { found } = await searchStandUp({ ...program, ...mistake });
    expect(found?.why).toContain(why);
  });
});
