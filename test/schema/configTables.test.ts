import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { withTables } from "../../lab/schema/configTables.ts";

const text = readFileSync(resolve(import.meta.dirname, "../../docs/configuration.md"), "utf8");

test("keeps the lists of docs/configuration.md equal to the schema (npm run schema)", () => {
  expect(text).toBe(withTables(text));
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
