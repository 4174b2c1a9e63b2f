import { describe, expect, it } from "vitest";
import { requireValue, toResult } from "../../../core/util/result";

describe("a result", () => {
  it("has the value that a promise resolves to, even if it is undefined", async () => {
    expect(await toResult(Promise.resolve(7))).toEqual({ value: 7 });
    expect(await toResult(Promise.resolve(undefined))).toEqual({ value: undefined });
  });

  it("has the message of a failure as its problem", async () => {
    expect(await toResult(Promise.reject(new Error("no answer")))).toEqual({ problem: "no answer" });
    expect(await toResult(Promise.reject("no answer"))).toEqual({ problem: "no answer" });
  });

  it("gives its value, or throws its problem", () => {
    expect(requireValue({ value: 7 })).toBe(7);
    expect(() => requireValue({ problem: "no answer" })).toThrow("no answer");
  });
});
