import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutants } from "../lab/mutants/mutants";
import { checkout } from "../lab/toolchain/version";

test.for(mutants)("the mistake's place exists once: $file: $what", ({ file, from, tests }) => {
  expect(readFileSync(join(checkout, file), "utf8").split(from)).toHaveLength(2);
  expect(tests.filter((each) => !existsSync(join(checkout, each)))).toEqual([]);
});
