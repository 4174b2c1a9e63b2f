import { describe, expect, test } from "vitest";
import {
  findApplicableRows,
  findVersionGaps,
  formatRequirement,
  formatVersionGap,
  installLines,
  type NodeBuild,
  type VersionRules,
} from "../../../core/chain/requiredVersions";
import { evilText } from "../../evilText";

const mainNetwork = "a".repeat(64);
const page = "https://releases.example/node";
const row = { fromHeight: 1000, leastVersion: "v0.0.10", why: "the window", release: page };
const later = { fromHeight: 5000, leastVersion: "v0.0.12", why: "another", release: page };
const rules: VersionRules = { mainNetwork, releases: "https://releases.example", rows: [row, later] };
const now = Date.UTC(2026, 10, 26, 16);

const gaps = (node: NodeBuild, height: number, more: Partial<VersionRules> = {}) =>
  findVersionGaps({ genesis: mainNetwork, ...node }, { ...rules, ...more }, height, now);
const due = (...args: Parameters<typeof gaps>) =>
  gaps(...args)
    .filter(({ expectedAt }) => expectedAt === undefined)
    .map(({ leastVersion }) => leastVersion);

describe("the required versions that a node lacks", () => {
  test.each<[string, NodeBuild, number, string[]]>([
    ["an old version below the window: none", { version: "v0.0.8" }, 999, []],
    ["an old version from the first momentum of the window on", { version: "v0.0.8" }, 1000, ["v0.0.10"]],
    ["the previous version, whose number is shorter", { version: "v0.0.9" }, 1000, ["v0.0.10"]],
    ["the required version: none", { version: "v0.0.10" }, 1000, []],
    ["its published build: none", { version: "v0.0.10-alphanet" }, 1000, []],
    ["its development build", { version: "v0.0.10-dev-55-gabc1234" }, 1000, ["v0.0.10"]],
    ["a newer version: none", { version: "v0.0.11" }, 4999, []],
    ["a newer version from the next row on", { version: "v0.0.11" }, 5000, ["v0.0.12"]],
    ["an old version, the newest requirement first", { version: "v0.0.8" }, 5000, ["v0.0.12", "v0.0.10"]],
    ["a node without a version", {}, 1000, ["v0.0.10"]],
    ["a text that is no version", { version: "latest" }, 1000, ["v0.0.10"]],
    ["a node of another network: none", { version: "v0.0.8", genesis: "b".repeat(64) }, 5000, []],
    ["a node without its first momentum", { version: "v0.0.8", genesis: undefined }, 1000, ["v0.0.10"]],
  ])("are decided for %s", (_what, node, height, expected) => expect(due(node, height)).toEqual(expected));

  test("the configured version counts at any height and on any network, beside the table", () => {
    const asked = { leastVersion: "v0.0.11" };
    expect(due({ version: "v0.0.10", genesis: "b".repeat(64) }, 1, asked)).toEqual(["v0.0.11"]);
    expect(due({ version: "v0.0.8" }, 1000, asked)).toEqual(["v0.0.11", "v0.0.10"]);
    expect(due({ version: "v0.0.11", genesis: "b".repeat(64) }, 1, asked)).toEqual([]);
    expect(gaps({ version: "v0.0.10" }, 1, asked)[1]?.release).toBe("https://releases.example");
  });

  test("future versions have the date at which the network reaches their height", () => {
    const [first] = gaps({ version: "v0.0.8" }, 1000 - 500, { rows: [row] });
    expect(first?.expectedAt).toBe(now + 500 * 11_400);
  });

  test("returns the rows that apply at a height, without a call", () => {
    expect(findApplicableRows(rules, 999)).toEqual([]);
    expect(findApplicableRows(rules, 1000)).toEqual([row]);
    expect(findApplicableRows({ ...rules, leastVersion: "v1.0.0" }, 0)).toMatchObject([
      { leastVersion: "v1.0.0", fromHeight: 0 },
    ]);
  });
});

describe("the texts", () => {
  test("name the version, the requirement, its height, its reason and the next step", () => {
    const [gap] = gaps({ version: "v0.0.9" }, 1000, { rows: [row] });
    if (!gap) throw new Error("none");
    expect(formatVersionGap(gap)).toBe(
      "the node is v0.0.9; v0.0.10 or newer is required from height 1000 on (the window)",
    );
    expect(installLines(gap)).toEqual([
      `install v0.0.10 or newer from ${page}: set pillar-host:node.release to its url, sha256 and version (docs/chain.md)`,
      "Is the requirement out of date? It is in core/chain/requiredVersions.json",
    ]);
    expect(formatVersionGap({ ...gap, found: undefined })).toMatch(
      /^the node does not report its version; v0\.0\.10 or newer is/,
    );
    // Anybody may call it so.
    expect(formatVersionGap({ ...gap, found: evilText })).not.toContain("\u001b");
  });

  test("name the approximate date of a future requirement", () => {
    const [gap] = gaps({ version: "v0.0.9" }, 400, { rows: [row] });
    if (!gap) throw new Error("none");
    expect(formatRequirement(gap)).toBe(
      "v0.0.10 or newer is required from height 1000 on, about 2026-11-26 17:54 UTC (the window)",
    );
  });

  test("name neither height nor table for the configured version", () => {
    const [gap] = gaps({ version: "v0.0.9" }, 1, { leastVersion: "v0.0.11", rows: [] });
    if (!gap) throw new Error("none");
    expect(formatVersionGap(gap)).toBe(
      "the node is v0.0.9; v0.0.11 or newer is required (so says pillar-host:node.leastVersion)",
    );
    expect(installLines(gap)).toHaveLength(1);
  });
});
