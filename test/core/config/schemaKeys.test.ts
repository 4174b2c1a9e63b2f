import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { listSchemaKeys, readMeta } from "../../../core/config/schemaKeys.ts";
import { stackSchema } from "../../../core/config/stackSchema.ts";

const keys = listSchemaKeys(stackSchema).map(({ path, schema, variant }) => ({
  name: `${path.join(".")}${variant === undefined ? "" : ` of ${variant}`}`,
  path: path.join("."),
  meta: readMeta(schema),
}));

test("describes each key in one style, without internal words", () => {
  expect(keys.length).toBeGreaterThan(100);
  expect(keys.filter(({ meta }) => !meta.description).map(({ name }) => name)).toEqual([]);
  const known = ["description", "form", "unit", "examples", "otherwise", "secret", "see"];
  const used = keys.flatMap(({ meta }) => Object.keys(meta));
  expect(used.filter((key) => !known.includes(key))).toEqual([]);
  expect(keys.filter(({ meta }) => /[.:] ?$|\]\(|\n/.test(meta.description ?? "")).map(({ name }) => name)).toEqual([]);
});

test("points to existing pages and headings", () => {
  const pages = new Set(keys.flatMap(({ meta }) => meta.see ?? []));
  expect(pages.size).toBeGreaterThan(3);
  for (const page of pages) {
    const [file = "", anchor] = page.split("#");
    const path = resolve(import.meta.dirname, "../../../docs", file);
    expect(existsSync(path), page).toBe(true);
    const headings = readFileSync(path, "utf8").match(/^#+ .*$/gm) ?? [];
    const anchors = headings.map((line) => line.replace(/^#+ /, "").toLowerCase().replaceAll(" ", "-"));
    if (anchor !== undefined) expect(anchors).toContain(anchor);
  }
});
