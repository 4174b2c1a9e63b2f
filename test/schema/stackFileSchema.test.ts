import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { stackFileSchema } from "../../lab/schema/stackFileSchema";

const file = resolve(import.meta.dirname, "../../stack.schema.json");

test("keeps the editors' schema equal to the program's (npm run schema)", () => {
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(stackFileSchema())));
});

test("accepts the keys, refuses others, and accepts an encrypted secret", () => {
  const text = JSON.stringify(stackFileSchema());
  const { properties } = JSON.parse(text).properties.config;
  expect(Object.keys(properties)).toContain("pillar-host:host");
  expect(properties["pillar-host:pillar"]).toMatchObject({ additionalProperties: false, required: ["name"] });
  expect(properties["pillar-host:ssh"].properties.privateKey.anyOf[1].required).toEqual(["secure"]);
  const from = properties["pillar-host:orchestrator"].properties.migrateFrom.properties;
  expect(from.privateKey.anyOf[1].required).toEqual(["secure"]);
});

test("describes each key as the documentation does, with form, unit and page", () => {
  const { properties } = JSON.parse(JSON.stringify(stackFileSchema())).properties.config;
  expect(properties["pillar-host:sync"].properties.stallMinutes.description).toBe(
    "A height that does not change for this long counts as a stall. Unit: minutes",
  );
  expect(properties["pillar-host:notify"].description).toMatch(
    /^A webhook that .*\. Value: URL\. Secret: set it with --secret$/,
  );
  expect(properties["pillar-host:lifecycle"].description).toMatch(/More: docs\/retiring\.md$/);
  expect(properties["pillar-host:host"].oneOf[1].properties.hostKey.description).toMatch(
    /By default: created with the ordered server\. More: docs\/operating\.md/,
  );
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
