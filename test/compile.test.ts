import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { compiled } from "../compile";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pillar-host-compile-"));
  for (const name of ["package.json", "tsconfig.pulumi.json"]) cpSync(name, join(root, name));
  for (const name of ["cli", "components", "core", "examples", "providers"]) mkdirSync(join(root, name));
  writeFileSync(join(root, "providers/word.ts"), `export const word: string = "one";`);
  writeFileSync(join(root, "components/step.sh"), "echo one");
  writeFileSync(
    join(root, "index.ts"),
    `import { readFileSync } from "node:fs";
     import { word } from "./providers/word";
     export = () => [word, readFileSync(\`\${__dirname}/components/step.sh\`, "utf8")];`,
  );
});

afterEach(() => rmSync(root, { recursive: true }));

async function runs(): Promise<unknown> {
  const program = await import(join(compiled(root), "index.js"));
  return program.default();
}

it("compiles the program with the scripts beside it, once", async () => {
  expect(await runs()).toEqual(["one", "echo one"]);
  const first = compiled(root);
  expect(compiled(root)).toBe(first);
  expect(readdirSync(join(root, ".compiled"))).toHaveLength(1);
});

it.each([
  ["providers/word.ts", `export const word: string = "two";`, ["two", "echo one"]],
  ["components/step.sh", "echo two", ["one", "echo two"]],
])("never runs an older text: %s", async (file, text, result) => {
  await runs();
  writeFileSync(join(root, file), text);
  expect(await runs()).toEqual(result);
});

it("leaves nothing half done that a later run would take", async () => {
  writeFileSync(join(root, ".compiled"), "in the way");
  expect(() => compiled(root)).toThrow(/^(ENOTDIR|EEXIST): .*\.compiled/);
  rmSync(join(root, ".compiled"));
  expect(await runs()).toEqual(["one", "echo one"]);
});

it("has the examples beside it, which the command line tool reads", () => {
  writeFileSync(join(root, "examples/one.yaml"), "config: {}");
  expect(readFileSync(join(compiled(root), "examples/one.yaml"), "utf8")).toBe("config: {}");
});
