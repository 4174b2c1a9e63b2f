import { expect, test } from "vitest";
import type { StackConfig } from "../../../core/config/config";
import { listRetirementReferences } from "../../../core/retirement/retirementInputs";

const asked = (retirement: string[], sync: string[]) =>
  listRetirementReferences({ retirement: { references: retirement }, sync: { references: sync } } as Pick<
    StackConfig,
    "retirement" | "sync"
  >);

test("asks its own references first, then those of the sync, each once", () => {
  expect(asked(["http://a", "http://b"], ["http://b", "http://c"])).toEqual(["http://a", "http://b", "http://c"]);
  expect(asked([], ["http://c"])).toEqual(["http://c"]);
});
