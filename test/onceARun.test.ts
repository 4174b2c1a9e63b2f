import { readdirSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { madeVariable, onceARun } from "../lab/testRun/onceARun";
import { scratchDirectory } from "./scratchDirectory";

const directory = scratchDirectory();
let count = 0;
const make = async () => `made ${++count}`;

beforeEach(() => {
  count = 0;
  vi.stubEnv(madeVariable, directory());
});
afterEach(() => void vi.unstubAllEnvs());

test("builds the same once in a run, and others separately", async () => {
  expect((await onceARun(["a", 1], make)).toString()).toBe("made 1");
  expect((await onceARun(["a", 1], make)).toString()).toBe("made 1");
  expect((await onceARun(["a", 2], make)).toString()).toBe("made 2");
  expect(readdirSync(directory())).toHaveLength(2);
});
