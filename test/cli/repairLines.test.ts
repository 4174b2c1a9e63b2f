import { describe, expect, test } from "vitest";
import { foundLines, meanwhileLines, repairedLines } from "../../cli/repairLines";
import type { Registration } from "../../core/registration/registration";
import type { Judged, RepairSeen } from "../../core/steps/database/judgement";

const place = {
  ...{ stack: "prod", address: "192.0.2.1", pillar: "Anvil" },
  ...{ service: "go-node", dataDir: "/root/.znn" },
};
const frontier = { height: 25, hash: "8abca42833461ecb17b5e7778721" };
const consensus: Judged = { name: "consensus", state: "sound" };
const sound: readonly Judged[] = [{ name: "nom", state: "sound", frontier }, consensus];
const cure = { kind: "undo", height: 26, differing: 38, touched: 58 } as const;
const torn: readonly Judged[] = [{ name: "nom", state: "torn", frontier, cure }, consensus];
const failed: RepairSeen = { node: "failed", enabled: true, judged: [], exit: 0, facts: [] };

describe("what a look found", () => {
  test("a torn database: which momentum, how much of it, and where it stands", () => {
    expect(foundLines(place, { ...failed, judged: torn, exit: 3 })).toEqual([
      "192.0.2.1, the host of prod: go-node is failed",
      "  database: nom is torn: momentum 26 was being written when the node was killed (38 of the 58 keys that it touches); its newest momentum is 25 (8abca4283346)",
      "  database: consensus is sound",
    ]);
  });

  test("one that runs was not judged", () => {
    expect(foundLines(place, { ...failed, node: "active", exit: 5, why: "the node runs" })).toEqual([
      "192.0.2.1, the host of prod: go-node is active",
      "  database: not judged: the node runs, or something else has it open; that takes a node that is stopped",
    ]);
  });

  test("why there is nothing to judge", () => {
    const why = "/root/.znn has no nom: no node has run there, or its database is elsewhere";
    expect(foundLines(place, { ...failed, exit: 6, why }).at(-1)).toBe(`  database: ${why}`);
  });
});

describe("what stands still while the node is stopped is said before it is stopped", () => {
  const ours = { kind: "producing", notes: [] } as unknown as Registration;
  const others = { kind: "foreign", notes: [] } as unknown as Registration;

  test("the production of a Pillar that is registered with this host", () => {
    expect(meanwhileLines(place, { value: ours }, true)).toEqual([
      "Anvil is registered with this host's producer address: while the node is stopped, some minutes at most, it produces nothing and misses its slots.",
      "The orchestrator on this host has no node meanwhile, and signs nothing.",
    ]);
  });

  test("where it is not known whether it is, that", () => {
    expect(meanwhileLines(place, { why: "no answer within 40 s" }, false)).toEqual([
      "Whether Anvil is registered with this host's producer address is not known (no answer within 40 s). If it is, it produces nothing while the node is stopped.",
    ]);
  });

  test("nothing, where another host produces", () => {
    expect(meanwhileLines(place, { value: others }, false)).toEqual([]);
  });
});

describe("what became of a repair", () => {
  test("repaired, and running: where the copy lies, and the next command", () => {
    const copy = "/root/.znn/nom.before-repair-26-20260102T030405Z.json";
    expect(repairedLines(place, { ...failed, judged: sound, copy, started: true })).toEqual([
      `repaired: the node takes that momentum in anew. What its keys had before is kept on 192.0.2.1, for root alone: ${copy}`,
      "  database: nom is sound; its newest momentum is 25 (8abca4283346)",
      "  database: consensus is sound",
      "go-node runs, and answers. How far it is: ./pillar-host status prod",
    ]);
  });

  test("sound, and off as it was", () => {
    const seen = { ...failed, enabled: false, judged: sound };
    expect(repairedLines(place, seen).at(0)).toBe("nothing was to be repaired");
    expect(repairedLines(place, seen).at(-1)).toBe(
      "go-node was not started: its unit is not enabled. Its look: ./pillar-host status prod",
    );
  });

  test("beyond repair: what is left to do", () => {
    const judged: Judged[] = [{ name: "nom", state: "unreadable", why: "table 000002 is not there" }, consensus];
    expect(repairedLines(place, { ...failed, judged, exit: 4 })).toEqual([
      "not repaired",
      "  database: nom cannot be read: table 000002 is not there",
      "  database: consensus is sound",
      "This is not what a killed node leaves, so nothing was changed.",
      "Is the disk full or failing? journalctl -k on the host tells. Is it well, let the node sync anew, on the host as root:",
      "  systemctl stop go-node && mv /root/.znn/nom /root/.znn/nom.unreadable && mv /root/.znn/consensus /root/.znn/consensus.unreadable && systemctl start go-node",
      "Then: pulumi up -s prod",
      "go-node was not started. Its look: ./pillar-host status prod",
    ]);
  });

  test("started, and without an answer: what there is to see", () => {
    const seen = { ...failed, judged: sound, started: false, facts: ["journal: panic"] };
    expect(repairedLines(place, seen).slice(-2)).toEqual([
      "go-node was started, and does not answer yet. How it is: ./pillar-host status prod",
      "  journal: panic",
    ]);
  });
});
