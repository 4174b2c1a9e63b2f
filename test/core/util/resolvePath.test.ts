import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { resolvePath } from "../../../core/util/resolvePath.ts";

test.each([
  ["~/x", join(homedir(), "x")],
  ["~", homedir()],
  ["/x", "/x"],
  ["x", resolve("x")],
  ["~x", resolve("~x")],
])("resolves an operator's path %s", (configured, path) => {
  expect(resolvePath(configured)).toBe(path);
});
