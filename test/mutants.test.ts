import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test as it } from "vitest";
import { mutants } from "../lab/mutants/mutants.ts";
import { checkout } from "../lab/toolchain/version.ts";

it.for(mutants)("the mistake's place exists once: $file: $what", ({ file, from, test }) => {
  expect(readFileSync(join(checkout, file), "utf8").split(from)).toHaveLength(2);
  expect(existsSync(join(checkout, test))).toBe(true);
});
