/** A code block of a document, and its heading. */
export interface CodeBlock {
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

/** Returns all code blocks in order. */
export function codeBlocks(text: string): CodeBlock[] {
  const pattern = /^## (?<title>.+)$|^```(?<language>\w+)\n(?<code>[\s\S]*?)^```$/gm;
  let heading = "";
  return [...text.matchAll(pattern)].flatMap(({ groups = {} }) => {
    heading = groups.title ?? heading;
    return groups.language === undefined ? [] : [{ heading, language: groups.language, text: groups.code ?? "" }];
  });
}

/** Returns the commands of the typed blocks in order, each with its heading. */
export function commandsOf(blocks: readonly CodeBlock[]): { heading: string; command: string }[] {
  return blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ heading, text }) =>
      text
        .trim()
        .split("\n")
        .map((command) => ({ heading, command })),
    );
}
