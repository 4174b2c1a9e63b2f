import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createChainCopyArgs } from "../../../components/node/chainCopyArgs";
import { createNodeRpc, createNodeTarget } from "../../../core/chain/configuredNode";
import { createVersionRules, parseRequiredVersions } from "../../../core/chain/versionRules";
import { createRetirementSettings } from "../../../core/retirement/retirementInputs";
import { configOf } from "../../components/exampleConfig";

const file = "core/chain/requiredVersions.json";
const shipped = readFileSync(join(__dirname, "../../..", file), "utf8");
const changed = (change: (table: { rows: Record<string, unknown>[] } & Record<string, unknown>) => void) => {
  const table = JSON.parse(shipped);
  change(table);
  return JSON.stringify(table);
};

describe("the shipped table", () => {
  test("is of go-zenon's embedded genesis, and requires v0.0.10 for the community spork window", () => {
    expect(parseRequiredVersions(shipped)).toMatchObject({
      // go-zenon, chain/genesis/embedded_genesis_test.go:11, which compares it with the genesis momentum's hash.
      mainNetwork: "9e204601d1b7b1427fe12bc82622e610d8a6ad43c40abf020eb66e538bb8eeb0",
      rows: [{ fromHeight: 14_567_887, leastVersion: "v0.0.10" }],
    });
  });

  test.each<[string, string, RegExp]>([
    ["no JSON", "{", /^core\/chain\/requiredVersions\.json is no JSON: /],
    [
      "a height in words",
      changed(({ rows }) => Object.assign(rows[0] ?? {}, { fromHeight: "14,567,887" })),
      /rows\.0\.fromHeight: /,
    ],
    [
      "a development build",
      changed(({ rows }) => Object.assign(rows[0] ?? {}, { leastVersion: "v0.0.10-dev" })),
      /needed the version of a release/,
    ],
    ["a misspelt key", changed(({ rows }) => Object.assign(rows[0] ?? {}, { from: 1 })), /from/],
    ["no main network", changed((table) => delete table.mainNetwork), /mainNetwork: /],
  ])("is refused with %s, by name", (_what, text, fault) => {
    expect(() => parseRequiredVersions(text)).toThrow(fault);
    expect(() => parseRequiredVersions(text)).toThrow(file);
  });
});

const other = {
  address: "203.0.113.8",
  hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
};

test("checks the rules for each node: its own, the old host's, the successor's", () => {
  const config = configOf({
    node: { leastVersion: "v0.0.11" },
    sync: { from: "oldHost", oldHost: other },
    retirement: { successor: other },
  });
  const rules = createVersionRules(config);
  expect(rules).toMatchObject({ leastVersion: "v0.0.11", rows: [{ leastVersion: "v0.0.10" }] });
  expect(createNodeTarget(config, "203.0.113.7", "key").versions).toEqual(rules);
  expect(createNodeRpc(config).versions).toEqual(rules);
  expect(createChainCopyArgs(config, "prod")?.old.node.versions).toEqual(rules);
  expect(createRetirementSettings(config).successor?.node.versions).toEqual(rules);
});
