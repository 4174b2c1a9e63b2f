import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { execa } from "execa";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../scratchDirectory.ts";

const scratch = scratchDirectory();
const loadOptional = pathToFileURL(join(import.meta.dirname, "../../../core/util/loadOptional.ts")).href;

/** Imports a module in a real Node, because the test runner's own loader words its errors differently. */
async function load(specifier: string) {
  const file = join(scratch(), "program.mjs");
  writeFileSync(
    file,
    `import { loadOptional } from ${JSON.stringify(loadOptional)};
    await loadOptional(import(${JSON.stringify(specifier)})).then(
      (module) => console.log("loaded", module.word),
      (error) => console.log(error.message),
    );`,
  );
  return (await execa("node", [file])).stdout;
}

test("names a package that is not installed, and the command that installs it", async () => {
  mkdirSync(join(scratch(), "clouds"));
  writeFileSync(join(scratch(), "clouds/parts.mjs"), 'import * as hcloud from "@pulumi/absent";');
  expect(await load("./clouds/parts.mjs")).toBe(
    "this stack needs the package @pulumi/absent, which is not installed; nothing was changed\n" +
      "  needed: install the packages for cloud providers and buckets too, in the program's directory:\n" +
      "    npm ci --omit=dev --ignore-scripts\n" +
      "  Then run the same command again.",
  );
});

test("passes on what is loaded, and any other error", async () => {
  writeFileSync(join(scratch(), "word.mjs"), 'export const word = "here";');
  expect(await load("./word.mjs")).toBe("loaded here");
  writeFileSync(join(scratch(), "broken.mjs"), 'import "./gone.mjs";');
  expect(await load("./broken.mjs")).toMatch(/^Cannot find module .*gone\.mjs/);
});
