import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import ts from "typescript";

/** A feature as the tests name it, and the file that proves it. */
export interface Proof {
  readonly feature: string;
  readonly tests: number;
  /** Path below test/lab. */
  readonly file: string;
}

const contracts = ["contract", "realOnly"];
const suites = ["describe", ...contracts];
const cases = ["it", "test"];

/**
 * Reads what a test file proves: an entry for each outermost suite, and for each test outside of any. Suites in a
 * helper beside the file count, too.
 * @param path of the file, to resolve its imports
 */
export function proofsOf(path: string, text: string, file: string): Proof[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const proofs: Proof[] = [];
  for (const statement of source.statements) {
    if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) continue;
    const call = statement.expression;
    const name = calledName(call);
    if (cases.includes(name)) proofs.push({ feature: titleOf(call), tests: 1, file });
    else if (suites.includes(name)) {
      const feature = contracts.includes(name) ? `contract ${titleOf(call)}` : titleOf(call);
      proofs.push({ feature, tests: count(call), file });
    } else proofs.push(...ofHelper(source, path, name, file));
  }
  return proofs;
}

/** Reads the suites in a function of a file beside this one. */
function ofHelper(source: ts.SourceFile, path: string, name: string, file: string): Proof[] {
  const imports = source.statements.filter(ts.isImportDeclaration);
  const own = imports.find(({ importClause }) => importClause?.getText().match(/\w+/g)?.includes(name));
  const from = own && ts.isStringLiteral(own.moduleSpecifier) ? own.moduleSpecifier.text : "";
  const helper = join(dirname(path), `${from}.ts`);
  if (!from.startsWith("./") || !existsSync(helper)) return [];
  const parsed = ts.createSourceFile(helper, readFileSync(helper, "utf8"), ts.ScriptTarget.ESNext, true);
  const body = parsed.statements.filter(ts.isFunctionDeclaration).find((each) => each.name?.text === name)?.body;
  return (body?.statements ?? []).flatMap((statement) =>
    ts.isExpressionStatement(statement) &&
    ts.isCallExpression(statement.expression) &&
    suites.includes(calledName(statement.expression))
      ? [{ feature: titleOf(statement.expression), tests: count(statement.expression), file }]
      : [],
  );
}

/** Returns the called name: `it` for it(…), it.skipIf(…)(…) and it.each([…])(…). */
function calledName({ expression }: ts.CallExpression): string {
  let name: ts.Expression = expression;
  while (!ts.isIdentifier(name)) {
    if (ts.isCallExpression(name) || ts.isPropertyAccessExpression(name)) name = name.expression;
    else return "";
  }
  return name.text;
}

/** Returns the title of a test or suite, with … for parts that are known at run time only. */
function titleOf(call: ts.CallExpression): string {
  const [title] = call.arguments;
  if (title && ts.isStringLiteralLike(title)) return title.text;
  if (title && ts.isTemplateExpression(title))
    return [title.head.text, ...title.templateSpans.map(({ literal }) => literal.text)].join("…");
  return title?.getText() ?? "";
}

/** Counts the tests in a suite's source. */
function count(suite: ts.Node): number {
  let tests = 0;
  const visit = (node: ts.Node) => {
    // The outer call of it.each([…])(…) is the test.
    if (ts.isCallExpression(node) && cases.includes(calledName(node)) && !ts.isCallExpression(node.parent)) tests += 1;
    ts.forEachChild(node, visit);
  };
  visit(suite);
  return tests;
}

const begin = "<!-- proofs (made by npm run proofs) -->";
const end = "<!-- end of proofs -->";

/** Returns the documentation with a new table of proofs between its two marks. @throws if the marks are missing */
export function withProofs(text: string, proofs: readonly Proof[]): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`the marks are missing: ${begin} and ${end}`);
  const files = [...new Set(proofs.map(({ file }) => file))];
  const folders = [...new Set(files.map(dirname))].sort();
  const rows = folders.map((folder) => {
    const own = files.filter((file) => dirname(file) === folder);
    return `| ${folder} | ${own.map((file) => linkTo(file, proofs)).join(", ")} |\n`;
  });
  return `${before}${begin}\n\n| Folder | Files, × tests |\n| --- | --- |\n${rows.join("")}\n${end}${after}`;
}

/** Returns a link to a test file, with the number of its tests. */
function linkTo(file: string, proofs: readonly Proof[]): string {
  const name = basename(file).replace(/\.test\.ts$/, "");
  const count = proofs.filter((proof) => proof.file === file).reduce((sum, { tests }) => sum + tests, 0);
  return `[${name}](../test/lab/${file})×${count}`;
}
