import { expect, test } from "vitest";
import { refusedComments } from "../../lab/lint/comments.ts";

const faultsOf = (text: string) => refusedComments("a.ts", text).map(({ line, why }) => `${line}: ${why}`);

test.each(["Of a host without a node.", "What is seen.", "Whether it runs.", "The same of a host."])(
  "a sentence without a subject is refused: %s",
  (words) => {
    expect(faultsOf(`const a = 1;\n\n/** ${words} */\nconst b = 2;\n`)).toEqual([
      `3: a sentence may not begin with "${/^(The same|\w+)/.exec(words)?.[0]}"`,
    ]);
    expect(faultsOf(`// ${words}\nconst b = 2;\n`)).toHaveLength(1);
  },
);

test.each([
  "function f() {}",
  "const f = () => 1;",
  "interface A {\n  /** Height of the momentum. */\n  f(): number;\n}",
])("the comment of a function begins with a verb: %s", (code) => {
  const commented = (words: string) => (code.includes("/**") ? code : `/** ${words} */\n${code}`);
  expect(faultsOf(commented("The height of a momentum."))).toHaveLength(1);
});

test.each([
  "/** Returns the height. */\nfunction f() {}",
  "/** True if the node is synced. */\nconst f = () => true;",
  "/** Height of the newest momentum. */\nconst height = 1;",
  "// The reason is in two lines,\n// of which this is the second.\nconst a = 1;",
])("accepts a plain comment: %s", (code) => {
  expect(faultsOf(code)).toEqual([]);
});
