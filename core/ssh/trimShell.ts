/** A function of a shell file. The line that ends it begins with its brace, and no other line of it does. */
const definition = /^(\w+)\(\) \{(?: .*|\n[\s\S]*?^)\}\n/gm;
const comment = /^[ \t]*#.*\n/gm;

/**
 * Returns shell text without comments, and without functions that neither the rest nor `callers` names. Any word counts
 * as a call, also one in a text. So no name of a function may be put together while the script runs.
 */
export function trimShell(text: string, callers = ""): string {
  const code = text.replace(comment, "");
  const functions = new Map([...code.matchAll(definition)].map(([whole, name = ""]) => [name, whole]));
  const called = new Set<string>();
  const read = (piece: string) => {
    for (const word of piece.match(/\w+/g) ?? []) {
      const body = functions.get(word);
      if (body === undefined || called.has(word)) continue;
      called.add(word);
      read(body);
    }
  };
  read(code.replace(definition, "") + callers);
  return code.replace(definition, (whole, name) => (called.has(name) ? whole : ""));
}
