import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { typedByHand } from "../lab/lint/printedCommands.ts";

const root = join(import.meta.dirname, "..");

/** Files that may contain a literal command, with the text and the reason. */
const exceptions: readonly (readonly [file: string, holds: RegExp, why: string])[] = [
  ["core/util/commands.ts", /./, "makes the commands"],
  ["core/steps/lib/commands.sh", /./, "makes them on a host"],
  ["cli/main.ts", /./, "the help's first line"],
  ...["readCommands", "changeCommands", "toolCommand"].map((name): (typeof exceptions)[number] => [
    `cli/commands/${name}.ts`,
    /./,
    "help texts: they are read before there is a stack, and say what each command is",
  ]),
  ["core/config/stackSchema.ts", /so that `pulumi destroy` can release it$/, "a description in docs/configuration.md"],
];

const files = ["components", "core", "providers", "cli"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|sh|cjs)$/.test(name))
    .map((name) => join(folder, name)),
);
const found = [...files, "index.ts"].flatMap((path) => typedByHand(path, readFileSync(join(root, path), "utf8")));
const isExcepted = (path: string, text: string) =>
  exceptions.some(([file, holds]) => file === path && holds.test(text));

test("every printed command comes from the helper, which names its stack", () => {
  expect(found.filter(({ path, text }) => !isExcepted(path, text))).toEqual([]);
});

test("has no exception without a use", () => {
  const idle = exceptions.filter(([file, holds]) => !found.some(({ path, text }) => path === file && holds.test(text)));
  expect(idle).toEqual([]);
});

test("a command is found in a text, in a template and in a script, not in a comment", () => {
  const source = [
    "// pulumi up",
    "/** `pulumi destroy` */",
    'const a = "then pulumi up again";',
    `const b = \`run pulumi config set x \${a}\`;`,
    `const c = \`\${a} && ./pillar-host check \${b}\`;`,
    'const d = ["pulumi", "up"];',
  ].join("\n");
  expect(typedByHand("a.ts", source).map(({ line }) => line)).toEqual([3, 4, 5]);
  const script = '# pulumi up\nfail "run pulumi up"\nfail "$(pulumi_up)"\n';
  expect(typedByHand("a.sh", script).map(({ line }) => line)).toEqual([2]);
});
