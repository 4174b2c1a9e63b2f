import { globSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";

/** Returns the fields of a text's classes that have their value where they are declared. */
function initializedFields(text: string): string[] {
  const source = ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyDeclaration(node) && node.initializer) found.push(node.getText(source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test("classes below the providers set their fields in the constructor", () => {
  const found = initializedFields("class A { seen = {}; readonly b: string; constructor() { this.b = '' } }");
  expect(found).toEqual(["seen = {};"]);
  for (const path of globSync("core/**/*.ts")) expect(initializedFields(readFileSync(path, "utf8")), path).toEqual([]);
});
