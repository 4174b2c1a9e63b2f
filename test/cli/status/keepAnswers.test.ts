import { expect, test } from "vitest";
import { createUnknownParts } from "../../../cli/status/parts/statusParts";
import { keepAnswers } from "../../../cli/status/readStatus";

test("a host that can't be reached keeps the answers of others, and the newer release, which is a plain text", () => {
  const parts = { ...createUnknownParts("active", "late"), sporks: { value: { unknown: [] } }, newerRelease: "v0.0.9" };
  expect(keepAnswers(parts)).toEqual({ sporks: { value: { unknown: [] } }, newerRelease: "v0.0.9" });
  expect(keepAnswers(undefined)).toEqual({});
});
