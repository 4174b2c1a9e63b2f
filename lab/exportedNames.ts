import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** A name that more than one file exports, and these files. */
export interface Twice {
  readonly name: string;
  readonly files: readonly string[];
}

/** What of the program is exported under one name by several files: a reader finds the wrong one. */
export function exportedTwice(files: readonly { readonly path: string; readonly text: string }[]): Twice[] {
  const places = new Map<string, string[]>();
  for (const { path, text } of files)
    for (const name of declaredNames(path, text)) places.set(name, [...(places.get(name) ?? []), path]);
  return [...places].filter(([, paths]) => paths.length > 1).map(([name, paths]) => ({ name, files: paths }));
}

/** Names that a file declares and exports; one that it passes on from another file is that file's. */
function declaredNames(path: string, text: string): Set<string> {
  const names = new Set<string>();
  for (const statement of ts.createSourceFile(path, text, ts.ScriptTarget.ES2022).statements) {
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations) if (ts.isIdentifier(name)) names.add(name.text);
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) names.add(statement.name?.text ?? "");
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) names.add(statement.name.text);
  }
  return names;
}

/** The program's files. */
export function programFiles(root: string): { path: string; text: string }[] {
  return ["components", "core", "providers", "cli"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => ({ path: join(folder, name), text: readFileSync(join(root, folder, name), "utf8") })),
  );
}

if (process.argv[1] === import.meta.filename) {
  const found = exportedTwice(programFiles(join(import.meta.dirname, "..")));
  for (const { name, files } of found) console.error(`${name} is exported by ${files.join(" and ")}: name one anew`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
