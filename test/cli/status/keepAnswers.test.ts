import { expect, test } from "vitest";
import { createUnknownParts } from "../../../cli/status/parts/statusParts";
import { keepAnswers } from "../../../cli/status/readStatus";

test("keeps the answers of other nodes", () => {
  const parts = { ...createUnknownParts("active", "late"), sporks: { value: { unknown: [] } } };
  expect(keepAnswers(parts)).toEqual({ sporks: { value: { unknown: [] } } });
});
