import ts from "typescript";

/** A command for an operator: an operation of Pulumi, or a command of this tool. */
const command =
  /\b(pulumi (up|destroy|preview|refresh|cancel|login|logout|whoami|config|stack|state|import)\b|npx pillar-host\b)|\.\/pillar-host\b/;

/**
 * Finds the texts with a literal command, which may lack its stack: `core/util/commands.ts` and
 * `core/steps/lib/commands.sh` must make it. Skips comments, which print nothing.
 */
export function typedByHand(path: string, text: string) {
  return (path.endsWith(".sh") ? shellLines(text) : stringsOf(path, text))
    .filter((piece) => command.test(piece.text))
    .map((piece) => ({ path, ...piece }));
}

function shellLines(text: string) {
  return text.split("\n").flatMap((line, i) => (/^\s*#/.test(line) ? [] : [{ line: i + 1, text: line }]));
}

function stringsOf(path: string, text: string) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022);
  const found: { line: number; text: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push({ line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1, text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
