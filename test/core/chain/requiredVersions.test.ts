import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createNodeTarget } from "../../../core/chain/configuredNode.ts";
import type { NodeBuild, VersionGap } from "../../../core/chain/requiredVersions.ts";
import * as versions from "../../../core/chain/requiredVersions.ts";
import { createVersionRules, readRequiredVersions, type VersionRules } from "../../../core/chain/versionRules.ts";
import { createChainCopyInputs } from "../../../core/chainCopy/copyInputs.ts";
import { createRetirementInputs } from "../../../core/retirement/retirementInputs.ts";
import { ProblemError } from "../../../core/util/problem.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { evilText } from "../../evilText.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const mainNetwork = "a".repeat(64);
const page = "https://releases.example/node";
const row = { fromHeight: 1000, leastVersion: "v0.0.10", why: "the window", release: page };
const later = { fromHeight: 5000, leastVersion: "v0.0.12", why: "another", release: page };
const source = "https://git.example/zenon/go-zenon";
const rules: VersionRules = { mainNetwork, source, releases: "https://releases.example", rows: [row, later] };
const place = scratchDirectory();
const tableFile = () => join(place(), "requiredVersions.json");
const table = { ...rules, source: "https://git.example/zenon/go-zenon" };
const now = Date.UTC(2026, 10, 26, 16);
const elsewhere = "b".repeat(64);

const gaps = (node: NodeBuild, height: number, more: Partial<VersionRules> = {}) =>
  versions.findVersionGaps({ genesis: mainNetwork, ...node }, { ...rules, ...more }, height, now);
const first = (...args: Parameters<typeof gaps>): VersionGap => {
  const [gap] = gaps(...args);
  return gap ?? expect.unreachable();
};
const due = (...args: Parameters<typeof gaps>) =>
  gaps(...args).flatMap(({ expectedAt, leastVersion }) => (expectedAt === undefined ? [leastVersion] : []));

test.each<[string, NodeBuild, number, string[]]>([
  ["an old version below the window: none", { version: "v0.0.8" }, 999, []],
  ["the previous version, whose number is shorter", { version: "v0.0.9" }, 1000, ["v0.0.10"]],
  ["the required version: none", { version: "v0.0.10" }, 1000, []],
  ["its published build: none", { version: "v0.0.10-alphanet" }, 1000, []],
  ["its development build", { version: "v0.0.10-dev-55-gabc1234" }, 1000, ["v0.0.10"]],
  ["a newer version: none", { version: "v0.0.11" }, 4999, []],
  ["an old version, the newest requirement first", { version: "v0.0.8" }, 5000, ["v0.0.12", "v0.0.10"]],
  ["a node without a version", {}, 1000, ["v0.0.10"]],
  ["a text that is no version", { version: "latest" }, 1000, ["v0.0.10"]],
  ["a node of another network: none", { version: "v0.0.8", genesis: elsewhere }, 5000, []],
  ["a node without its first momentum", { version: "v0.0.8", genesis: undefined }, 1000, ["v0.0.10"]],
])("finds the required versions that a node lacks: %s", (_what, node, height, expected) =>
  expect(due(node, height)).toEqual(expected),
);

test("the configured version counts at any height and on any network, beside the table", () => {
  const asked = { leastVersion: "v0.0.11" };
  expect(due({ version: "v0.0.10", genesis: elsewhere }, 1, asked)).toEqual(["v0.0.11"]);
  expect(due({ version: "v0.0.8" }, 1000, asked)).toEqual(["v0.0.11", "v0.0.10"]);
  expect(versions.findApplicableRows(rules, 999)).toEqual([]);
  expect(versions.findApplicableRows(rules, 1000)).toEqual([row]);
  const gap = first({ version: "v0.0.9" }, 1, { ...asked, rows: [] });
  const said = "the node is v0.0.9; v0.0.11 or newer is required (so says pillar-host:node.leastVersion)";
  expect(versions.formatVersionGap(gap)).toBe(said);
  expect(versions.installLines(gap)).toHaveLength(1);
});

test("a gap names the version, the requirement, its height, its reason and the next step", () => {
  const gap = first({ version: "v0.0.9" }, 1000, { rows: [row] });
  const said = "the node is v0.0.9; v0.0.10 or newer is required from height 1000 on (the window)";
  expect(versions.formatVersionGap(gap)).toBe(said);
  expect(versions.installLines(gap)).toEqual([
    `install v0.0.10 or newer from ${page}: set pillar-host:node.release to its url, sha256 and version (docs/chain.md)`,
    "Is the requirement out of date? It is in core/chain/requiredVersions.json",
  ]);
  expect(versions.formatVersionGap({ ...gap, found: undefined })).toMatch(/^the node does not report its version; v0/);
  // Anybody may call it so.
  expect(versions.formatVersionGap({ ...gap, found: evilText })).not.toContain("\u001b");
});

test("a future requirement has the date at which the network reaches its height", () => {
  expect(versions.formatRequirement(first({ version: "v0.0.9" }, 400, { rows: [row] }))).toBe(
    "v0.0.10 or newer is required from height 1000 on, about 2026-11-26 17:54 UTC (the window)",
  );
});

test("the shipped table is of go-zenon's embedded genesis, and requires v0.0.10 for the community spork window", () => {
  expect(createVersionRules(configOf())).toEqual({
    // go-zenon, chain/genesis/embedded_genesis_test.go:11, which compares it with the genesis momentum's hash.
    mainNetwork: "9e204601d1b7b1427fe12bc82622e610d8a6ad43c40abf020eb66e538bb8eeb0",
    source: "https://github.com/zenon-network/go-zenon",
    releases: expect.stringMatching(/^https:/),
    rows: [{ fromHeight: 14_567_887, leastVersion: "v0.0.10", why: expect.any(String), release: expect.any(String) }],
  });
});

test.each<[string, object, string, string, string]>([
  [
    "a height in quotes",
    { rows: [row, { ...row, fromHeight: "15,000,000" }] },
    "rows, row 2, fromHeight",
    '"15,000,000"',
    "a number without quotes",
  ],
  [
    "a height with another name",
    { rows: [{ ...row, fromHeight: undefined, from: 9 }] },
    "rows, row 1, fromHeight",
    "nothing",
    "a number without quotes",
  ],
  [
    "a version that no release has",
    { rows: [{ ...row, leastVersion: "v0.0.10-dev" }] },
    "rows, row 1, leastVersion",
    '"v0.0.10-dev"',
    "the version of a release",
  ],
  ["a row that is none", { rows: [null] }, "rows, row 1", "null", "it in the form of the shipped file"],
  ["no reason", { rows: [{ ...row, why: " " }] }, "rows, row 1, why", '" "', "the reason"],
  [
    "an address that is none",
    { rows: [{ ...row, release: "see below" }] },
    "rows, row 1, release",
    '"see below"',
    "an https address",
  ],
  ["no list of rows", { rows: { ...row } }, "rows", JSON.stringify(row), "it in the form of the shipped file"],
  ["a truncated hash", { mainNetwork: "9e20" }, "mainNetwork", '"9e20"', "a hash of 64 hexadecimal digits"],
])("a table with %s is an error that names file, row and key", (_what, changes, where, found, needed) => {
  writeFileSync(tableFile(), JSON.stringify({ ...table, ...changes }));
  expect(() => readRequiredVersions(tableFile())).toThrow(
    `core/chain/requiredVersions.json, ${where}: can't be read, so nobody knows which versions the network requires\n  found: ${found}\n  needed: write ${needed}`,
  );
  expect(() => readRequiredVersions(tableFile())).toThrow(ProblemError);
});

test("a table that is no JSON is an error that names the file", () => {
  writeFileSync(tableFile(), "{");
  expect(() => readRequiredVersions(tableFile())).toThrow(
    /^core\/chain\/requiredVersions\.json: can't be read, so .*\n {2}found: .*JSON.*\n {2}needed: write valid JSON; or restore the file: git checkout core\//,
  );
});

test("a new host needs every version of the table, if its controller builds the main network's node", () => {
  const least = (repository?: string, version?: string, more = {}) =>
    versions.findNewHostGap(repository, { ...rules, ...more }, version)?.leastVersion;
  expect(least(source)).toBe("v0.0.12");
  expect(least(`${source.toUpperCase()}.git/`, "v0.0.10")).toBe("v0.0.12");
  expect(least(source, "v0.0.12")).toBeUndefined();
  expect(least(`${source}-fork`, "v0.0.8")).toBeUndefined();
  expect(least(undefined, "v0.0.8")).toBeUndefined();
  expect(least(undefined, "v0.0.8", { leastVersion: "v0.0.9" })).toBe("v0.0.9");
});

test("each node has the rules: the stack's own, the old host's, the successor's", () => {
  const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
  const other = { address: "203.0.113.8", hostKey };
  const own = { address: "203.0.113.7", hostKey };
  const sync = { from: "oldHost" };
  const config = configOf({
    node: { leastVersion: "v0.0.11" },
    sync,
    oldHost: other,
    retirement: { successor: other },
  });
  const all = createVersionRules(config);
  expect(all).toMatchObject({ leastVersion: "v0.0.11", rows: [{ leastVersion: "v0.0.10" }] });
  expect(createNodeTarget(config, "203.0.113.7", "key").versions).toEqual(all);
  expect(createChainCopyInputs(config, own).old.node.versions).toEqual(all);
  expect(createRetirementInputs(config, { ...own, isOwnServer: false }).successor?.node.versions).toEqual(all);
});
