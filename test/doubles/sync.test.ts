import { describe, expect, it } from "vitest";
import { defaultNodeSettings, type NodeSettingsPatch } from "../../lab/doubles/chain";
import { Sync } from "../../lab/doubles/node/sync";

/** A node at height 900 whose RPC opened at 0, on a network at 1000. */
function node(settings: NodeSettingsPatch = {}, momentumSeconds = 10) {
  const sync = new Sync(900, 0);
  const given = { ...defaultNodeSettings, connectMs: 1000, rate: 10, ...settings } as typeof defaultNodeSettings;
  let height = 1000;
  return {
    sync,
    set: (patch: NodeSettingsPatch) => Object.assign(given, patch),
    network: (next: number) => {
      height = next;
    },
    at: (seconds: number) => {
      const network = { now: seconds * 1000, height, momentumSeconds, chainId: "lab" };
      sync.advance(seconds * 1000, given, network);
      const { state, currentHeight, targetHeight } = sync.info(seconds * 1000, given, network);
      return [state, currentHeight, targetHeight];
    },
  };
}

describe("a node's way to the network's height", () => {
  it("is state 3 with the stored height and target 0, then 1 at the set rate, then 2", () => {
    const { at } = node();
    expect(at(0)).toEqual([3, 900, 0]);
    expect(at(0.9)).toEqual([3, 900, 0]);
    expect(at(1)).toEqual([1, 901, 1000]);
    expect(at(2)).toEqual([1, 911, 1000]);
    expect(at(9)).toEqual([1, 981, 1000]);
    expect(at(30)).toEqual([2, 1000, 1000]);
  });

  it("carries fractions of a momentum, so that a slow rate is kept", () => {
    const { at } = node({ rate: 0.5, connectMs: 0 });
    const heights = [0, 1, 2, 3, 4, 5, 6].map((seconds) => at(seconds)[1]);
    expect(heights).toEqual([900, 900, 901, 901, 902, 902, 903]);
  });

  it("takes new momentums in when synced: state 1 for a moment, and no longer", () => {
    const { at, network, sync } = node({ connectMs: 0 });
    at(0);
    expect(at(20)).toEqual([2, 1000, 1000]);
    network(1003);
    expect(at(20.001)).toEqual([1, 1000, 1003]);
    expect(sync.isSynced).toBe(true);
    expect(at(20.05)).toEqual([1, 1000, 1003]);
    expect(at(20.052)).toEqual([2, 1003, 1003]);
    network(1004);
    expect(at(21)).toEqual([1, 1003, 1004]);
    expect(at(21.05)).toEqual([2, 1004, 1004]);
    network(1100);
    expect(at(21.06)).toEqual([1, 1004, 1100]);
    expect(sync.isSynced).toBe(false);
  });

  it("takes in at once what comes quickly", () => {
    const { at, network } = node({ connectMs: 0 }, 0.5);
    at(0);
    expect(at(20)).toEqual([2, 1000, 1000]);
    network(1001);
    expect(at(20.001)).toEqual([2, 1001, 1001]);
  });

  it("stands at state 3 and target 0 without peers, and goes on when they come", () => {
    const { at, set } = node({ connectMs: 0 });
    at(0);
    expect(at(5)).toEqual([1, 950, 1000]);
    set({ peers: 0 });
    expect(at(6)).toEqual([3, 950, 0]);
    expect(at(60)).toEqual([3, 950, 0]);
    set({ peers: 1 });
    expect(at(61)).toEqual([1, 960, 1000]);
  });

  it("notices a lost peer late, and does not reconnect when told not to", () => {
    const { at, set, sync } = node({ connectMs: 0, peerLossMs: 22_000, reconnects: false });
    at(0);
    expect(at(20)).toEqual([2, 1000, 1000]);
    set({ peers: 0 });
    expect(at(21)[0]).toBe(2);
    expect(at(42)[0]).toBe(2);
    expect(at(43)).toEqual([3, 1000, 0]);
    expect(sync.isSynced).toBe(false);
    set({ peers: 8 });
    expect(at(283)).toEqual([3, 1000, 0]);
  });
});

describe("a node that lies", () => {
  it("says a target below its height", () => {
    const { at } = node({ connectMs: 0, forceTarget: 1 });
    at(0);
    expect(at(20)).toEqual([2, 1000, 1]);
  });

  it("says state 2 while it is behind a target that went stale", () => {
    const { at, network, set, sync } = node({ connectMs: 0, rate: 10 });
    at(0);
    set({ staleTarget: true });
    at(1);
    network(5000);
    expect(at(15)).toEqual([2, 1050, 1000]);
    expect(sync.isSynced).toBe(false);
    set({ staleTarget: false });
    expect(at(15.1)).toEqual([1, 1051, 5000]);
  });

  it("says a state and a height that are not so, while the truth stays known", () => {
    const { at, sync } = node({ connectMs: 0, forceState: 2, forceHeight: 1000 });
    at(0);
    expect(at(1)).toEqual([2, 1000, 1000]);
    expect(sync.height).toBe(910);
    expect(sync.isSynced).toBe(false);
  });

  it("flips between 2 and 1 once it is synced, not before", () => {
    const { at } = node({ connectMs: 0, flapMs: 1000 });
    at(0);
    expect(at(2.5)[0]).toBe(1);
    expect(at(20.5)[0]).toBe(2);
    expect(at(21.5)[0]).toBe(1);
    expect(at(22.5)[0]).toBe(2);
  });

  it("stalls: the height stands, the target goes on", () => {
    const { at, set, network } = node({ connectMs: 0 });
    at(0);
    at(5);
    set({ stall: true });
    network(1010);
    expect(at(50)).toEqual([1, 950, 1010]);
    set({ stall: false });
    expect(at(51)).toEqual([1, 960, 1010]);
  });
});
