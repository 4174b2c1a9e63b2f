import { expect, test } from "vitest";
import { createUnknownParts } from "../../../cli/status/parts/statusParts";
import { keepAnswers } from "../../../cli/status/readStatus";

test("keeps the answers of other nodes and the newer release", () => {
  const parts = { ...createUnknownParts("active", "late"), sporks: { value: { unknown: [] } }, newerRelease: "v0.0.9" };
  expect(keepAnswers(parts)).toEqual({ sporks: { value: { unknown: [] } }, newerRelease: "v0.0.9" });
  expect(keepAnswers(undefined)).toEqual({});
});
