import { expect, test } from "vitest";
import { putVerdictFirst } from "../../../cli/check/checkHost.ts";
import { formatVersionGaps } from "../../../cli/check/checkNodeVersion.ts";
import { decideCheckExitCode, fail, formatChecks, pass, pending } from "../../../cli/check/checkRow.ts";
import type { VersionGap } from "../../../core/chain/requiredVersions.ts";
import { evilText, harmless } from "../../evilText.ts";

const rows = [fail("host", "cores: found 1, needed 4", "needed: more\nor less"), pass("references", "2 of 2 answer")];

test("lists faults last, with all lines in their column", () => {
  expect(formatChecks("prod-2", [...rows, pending("the move", "not yet")])).toEqual([
    "good   references  2 of 2 answer",
    "later  the move    not yet",
    "FAULT  host        cores: found 1, needed 4",
    "                   needed: more",
    "                   or less",
    "",
    "One thing stands in the way; nothing was changed. Then check again: ./pillar-host check prod-2",
  ]);
});

test("removes control characters of hosts and nodes", () => {
  for (const row of [pass("a", evilText), fail("a", evilText), pending("a", evilText)])
    expect(row.lines).toEqual([harmless]);
});

test("exits with 1 only for a fault", () => {
  expect(decideCheckExitCode(rows)).toBe(1);
  expect(decideCheckExitCode([pass("a", "b"), pending("c", "d")])).toBe(0);
  expect(formatChecks("prod", [pending("c", "d")]).at(-1)).toBe("Nothing stands in the way, and nothing was changed.");
});

test("puts the verdict of preflight before its warnings", () => {
  expect(putVerdictFirst(["warning: clock", "warning: bandwidth", "4 cores: meets the minimums"])).toEqual([
    "4 cores: meets the minimums",
    "warning: clock",
    "warning: bandwidth",
  ]);
  expect(putVerdictFirst([])).toEqual([]);
});

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
  expect(formatVersionGaps(gaps, "prod", "v0.0.8")).toMatchObject({ topic: "node's version", kind, lines });
});
