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
const expectedAt = Date.UTC(2026, 11, 24, 12);
const required = "the node is v0.0.8; v0.0.10 or newer is required from height 1000 on";

test.each([
  ["fault", [gap], [`${required} (the window)`, install, outOfDate]],
  ["later", [{ ...gap, expectedAt }], [`${required}, about 2026-12-24 12:00 UTC (the window)`, install, outOfDate]],
  ["good", [], ["v0.0.8: no newer version needed"]],
] as const)("reports required versions as %s", (kind, gaps, lines) => {
  expect(formatVersionGaps(gaps, "prod", "v0.0.8")).toEqual({ topic: "node's version", kind, lines });
});
