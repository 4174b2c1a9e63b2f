import ts from "typescript";

/** Openings of sentences without a subject. */
const refusedOpening =
  /^(Of|What|Whatever|Whether|Who|Whoever|Whom|Whose|Which|Where|That|One|Another|Nothing|Nobody|None|How|Why|The same|So that)\s/;

/** A verb in the third person, or a condition. */
const verb = /^(?!(?:Its|This|As|Always|Is|Was|Has|Unless|Whose)\b)[A-Z][a-z]*s\b|^True if\b|^@/;

/** Returns the comments whose opening is refused, and the comments of functions that begin with no verb. */
export function refusedComments(path: string, text: string) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const found: { path: string; line: number; why: string }[] = [];
  const seen = new Set<number>();
  const check = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      const why = findFault(text.slice(pos, end), node, isContinued(text, pos));
      if (why) found.push({ path, line: source.getLineAndCharacterOfPosition(pos).line + 1, why });
    }
    ts.forEachChild(node, check);
  };
  // The file itself would take its first statement's comment, so only the statements are checked.
  ts.forEachChild(source, check);
  return found;
}

function findFault(comment: string, node: ts.Node, isContinuation: boolean): string | undefined {
  if (isContinuation) return undefined;
  const words = comment
    .replace(/^\/\*\*?|^\/\/|\*\/$/g, "")
    .replace(/^\s*\*\s?/gm, "")
    .trim();
  const opening = refusedOpening.exec(words);
  if (opening) return `a sentence may not begin with "${opening[1]}"`;
  if (comment.startsWith("/**") && isFunction(node) && !verb.test(words))
    return "the comment of a function begins with a verb in the third person";
  return undefined;
}

/** True if the line before is a comment of the same kind, so this line continues its sentence. */
function isContinued(text: string, pos: number): boolean {
  if (!text.startsWith("//", pos)) return false;
  const lines = text.slice(0, pos).trimEnd().split("\n");
  return (lines.at(-1) ?? "").trimStart().startsWith("//");
}

function isFunction(node: ts.Node): boolean {
  const declared = ts.isVariableStatement(node) ? node.declarationList.declarations[0]?.initializer : node;
  return declared !== undefined && (ts.isFunctionLike(declared) || ts.isMethodDeclaration(declared));
}
