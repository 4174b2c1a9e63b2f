import { expect, test } from "vitest";
import type { StackConfig } from "../../../core/config/config";
import { retirementReferences } from "../../../core/retirement/retirementInputs";

const asked = (retirement: string[], sync: string[]) =>
  retirementReferences({ retirement: { references: retirement }, sync: { references: sync } } as Pick<
    StackConfig,
    "retirement" | "sync"
  >);

test("a retirement asks its own references and the sync's, each once, its own first", () => {
  expect(asked(["http://a", "http://b"], ["http://b", "http://c"])).toEqual(["http://a", "http://b", "http://c"]);
  expect(asked([], ["http://c"])).toEqual(["http://c"]);
});
