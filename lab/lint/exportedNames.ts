import ts from "typescript";

/** Returns the names that several files export: a reader may find the wrong one. */
export function exportedTwice(files: readonly { readonly path: string; readonly text: string }[]) {
  const places = new Map<string, string[]>();
  for (const { path, text } of files)
    for (const name of declaredNames(path, text)) places.set(name, [...(places.get(name) ?? []), path]);
  return [...places].filter(([, paths]) => paths.length > 1).map(([name, paths]) => ({ name, files: paths }));
}

/** Returns the names that a file declares and exports, without its re-exports. */
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
