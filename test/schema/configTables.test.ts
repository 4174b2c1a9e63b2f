import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { withTables } from "../../lab/schema/configTables";

const text = readFileSync(resolve(import.meta.dirname, "../../docs/configuration.md"), "utf8");
const tables = withTables(text);
const lineOf = (key: string) => tables.split("\n").find((line) => line.startsWith(`- \`${key}\` (`));

test("keeps the lists of docs/configuration.md equal to the schema (npm run schema)", () => {
  expect(text).toBe(tables);
});

describe("a key's line", () => {
  test.each([
    ["a value's kind and its default", "node.rpcPort", " (port; `35997`): The port of the node's RPC over http"],
    ["a unit", "sync.stallMinutes", " (number above 0 to 1440 (minutes); `15`): "],
    ["a list's values", "host.sshFrom", " (list, each: network in CIDR form, as `192.0.2.1/32`; `[]`): "],
    ["that a key is required", "pillar.name", " (text; needed): "],
    ["a secret", "ssh.privateKey", " (text): Secret. The private key itself: the text of its file"],
    ["the page with more", "sync.wait", "not synced yet ([unattended.md](unattended.md#on-a-schedule))"],
    ["the variants that have the key", "host.plan", ": (hetzner/digitalocean) `auto`: the cheapest"],
    [
      "values that differ between variants",
      "host.locations",
      "(hetzner) `fsn1`, `nbg1`, `hel1`; (digitalocean) `fra1`, `ams3`, `lon1`, `nyc3`): ",
    ],
    [
      "the variants",
      "host.provider",
      " (`existing`; `hetzner`; `digitalocean`; needed): (existing) A server that exists",
    ],
  ])("shows %s", (_what, key, part) => {
    expect(lineOf(key)).toContain(part);
  });
});

test("keeps the text around the lists, and replaces the text between their marks", () => {
  const own = text.replace("# Configuration\n", "# Configuration\n\nA word of our own.\n");
  expect(withTables(own.replaceAll(/^- `\w+[.\w]*`.*\n/gm, ""))).toBe(own);
});

test("refuses a key without a list, a key with two lists, and a list of an unknown key", () => {
  const refused = (from: string, to: string) => () => withTables(text.replace(from, to));
  expect(refused("<!-- keys: sync ", "<!-- keys of sync ")).toThrow(/not so: sync$/);
  expect(refused("<!-- keys: sync ", "<!-- keys: sync, host ")).toThrow(/not so: host$/);
  expect(refused("<!-- keys: sync ", "<!-- keys: sync, syncs ")).toThrow(/not so: syncs$/);
});
