import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { stackFileSchema } from "../../components/stackFileSchema";

const file = resolve(import.meta.dirname, "../../stack.schema.json");

test("the schema that editors read is the one that the program checks with (npm run schema writes it)", () => {
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(stackFileSchema())));
});

test("it knows the keys, refuses others, and takes a secret as the engine writes it", () => {
  const text = JSON.stringify(stackFileSchema());
  const { properties } = JSON.parse(text).properties.config;
  expect(Object.keys(properties)).toContain("pillar-host:host");
  expect(properties["pillar-host:pillar"]).toMatchObject({ additionalProperties: false, required: ["name"] });
  expect(properties["pillar-host:ssh"].properties.privateKey.anyOf[1].required).toEqual(["secure"]);
  const from = properties["pillar-host:orchestrator"].properties.migrateFrom.properties;
  expect(from.privateKey.anyOf[1].required).toEqual(["secure"]);
});
