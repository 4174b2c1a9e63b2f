import { expect, test } from "vitest";
import { formatVersionGaps } from "../../../cli/check/checkNodeVersion";
import type { VersionGap } from "../../../core/chain/requiredVersions";

const gap: VersionGap = {
  fromHeight: 1000,
  leastVersion: "v0.0.10",
  why: "the window",
  release: "https://r.example",
  found: "v0.0.8",
};
const install =
  "  install v0.0.10 or newer from https://r.example: set pillar-host:node.release to its url, sha256 and version (docs/chain.md), then pulumi up -s prod";
const outOfDate = "  Is the requirement out of date? It is in core/chain/requiredVersions.json";

test("reports a required version as a fault with the release to install", () => {
  expect(formatVersionGaps([gap], "prod", "v0.0.8")).toEqual({
    topic: "node's version",
    kind: "fault",
    lines: ["the node is v0.0.8; v0.0.10 or newer is required from height 1000 on (the window)", install, outOfDate],
  });
});

test("reports a version required later as pending with its date", () => {
  expect(formatVersionGaps([{ ...gap, expectedAt: Date.UTC(2026, 11, 24, 12) }], "prod", "v0.0.8")).toEqual({
    topic: "node's version",
    kind: "later",
    lines: [
      "the node is v0.0.8; v0.0.10 or newer is required from height 1000 on, about 2026-12-24 12:00 UTC (the window)",
      install,
      outOfDate,
    ],
  });
});

test("passes a node with every required version", () => {
  expect(formatVersionGaps([], "prod", "v0.0.10")).toMatchObject({
    kind: "good",
    lines: ["v0.0.10: no newer version needed"],
  });
});
