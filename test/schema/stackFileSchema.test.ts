import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { stackFileSchema } from "../../lab/schema/stackFileSchema.ts";

const file = resolve(import.meta.dirname, "../../docs/stack.schema.json");

test("keeps the editors' schema equal to the program's (npm run schema)", () => {
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(stackFileSchema())));
});

test("describes each key", () => {
  const { properties } = JSON.parse(JSON.stringify(stackFileSchema())).properties.config;
  const untold = (schema: { properties?: object; oneOf?: object[]; description?: string }, path: string): string[] => [
    ...(schema.description === undefined && !/oneOf$/.test(path) ? [path] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, below]) => untold(below, `${path}.${key}`)),
    ...(schema.oneOf ?? []).flatMap((variant) => untold(variant, `${path} oneOf`)),
  ];
  expect(Object.entries(properties).flatMap(([key, schema]) => untold(schema as object, key))).toEqual([]);
});

test("contains no word that only this program knows", () => {
  const words = JSON.stringify(stackFileSchema()).match(/"(form|unit|otherwise|secret|see)":/g);
  expect(words).toBeNull();
});
