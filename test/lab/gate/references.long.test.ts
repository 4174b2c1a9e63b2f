import { beforeAll, describe, expect, it } from "vitest";
import type { ChainTruth } from "../../../lab/doubles/chain";
import { healFaults, setFault } from "../../../lab/faults";
import { reconfigure } from "../fixture";
import { catchUp, expectSynced, gateStage, watchUp } from "./watch";

interface Sync {
  readonly syncedAt: string;
  readonly proved: readonly string[];
  readonly unproved: readonly string[];
}

const agrees = "height agrees with the references' median";
const unproved = "height agrees with independent nodes (sync.references)";
const fresh = "newest momentum is fresh by both clocks";

describe("the proof by references", () => {
  let urls: readonly [string, string];
  const stage = gateStage(undefined, async (lab) => {
    urls = [await lab.addReference("ref1"), await lab.addReference("ref2")];
  });

  beforeAll(async () => {
    const { network } = await stage.lab.chain<ChainTruth>("GET", "/truth");
    await setFault(stage.lab, "ref1", "lying-height", String(network.height + 50_000));
    await catchUp(stage.lab);
    const { exitCode, output } = await stage.stack.up();
    expect(exitCode, output).toBe(0);
  });

  /** Runs the gate again for a synced node. */
  async function askAnew(references: readonly string[]) {
    await reconfigure(stage.stack, stage.host, { sync: { references, tolerance: 100 } });
    const up = await watchUp(stage.stack, ["--replace", "**::node-sync"]);
    return { up, sync: await expectSynced<Sync>(stage, up) };
  }

  it("treats a single reference as a warning only", async () => {
    const [first] = urls;
    const { up, sync } = await askAnew([first]);
    await up.hears(new RegExp(`^sync: only reference ${first} answers, and is at height \\d+$`));
    await up.hears(new RegExp(`^sync: not proved: ${unproved.replace(/[()]/g, ".")}$`));
    const confirmed = `the chain is confirmed by reference ${first}`;
    expect([sync.proved, sync.unproved]).toEqual([
      [expect.stringContaining("reached target"), fresh, confirmed],
      [unproved],
    ]);
  });

  it("two differing references, or one remaining, prove nothing", async () => {
    const [first, second] = urls;
    const differ = await askAnew([first, second]);
    await differ.up.hears(/^sync: the references disagree among themselves: reference http/);
    expect(differ.sync.unproved).toEqual([unproved]);
    await healFaults(stage.lab, "ref1");
    await setFault(stage.lab, "ref2", "rpc-down");
    const left = await askAnew([first, second]);
    await left.up.hears(new RegExp(`^sync: reference ${second} is left out: ECONNREFUSED$`));
    expect(left.sync.unproved).toEqual([unproved]);
  });

  it("two agreeing references are proof", async () => {
    const [first, second] = urls;
    await healFaults(stage.lab, "ref2");
    const { sync } = await askAnew([first, second]);
    expect(sync.proved).toContain(agrees);
    expect(sync.unproved).toEqual([]);
  });
});
