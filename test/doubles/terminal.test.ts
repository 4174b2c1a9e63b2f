import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../../lab/doubles/bundle";
import { ask, confirm, menu, type Terminal } from "../../lab/doubles/controller/terminal";

function typed(...lines: string[]) {
  let output = "";
  const terminal: Terminal = {
    isTty: true,
    write: (text) => {
      output += text;
    },
    readLine: () => lines.shift() ?? "end of test",
    setEcho: () => undefined,
  };
  return { terminal, output: () => output };
}

describe("the menu", () => {
  it("takes a number and nothing else, and asks again", () => {
    const { terminal, output } = typed("", "Deploy", "0", "3", "1.5", " 2 ");
    expect(menu(terminal, "Pick\n", ["Deploy", "Status"])).toBe("Status");
    const integer = "\u001b[31;1mValue must be an integer from 1 to 2\u001b[0m\n";
    const prompt = "Pick\n ";
    expect(output()).toBe(
      [
        `  1) Deploy\n  2) Status\n${prompt}`,
        `\u001b[31;1mYou must enter a value.\u001b[0m\n${prompt}`,
        `${integer}${prompt}`,
        `Invalid selection.\n${prompt}`,
        `Invalid selection.\n${prompt}`,
        `${integer}${prompt}`,
      ].join(""),
    );
  });
});

describe("a yes/no question", () => {
  it.each([
    ["y", true],
    ["T", true],
    ["TRUE", true],
    ["yes", true],
    ["n", false],
    ["f", false],
    ["false", false],
    ["No", false],
  ])("takes %s as %s, whatever the default", (answer, expected) => {
    expect(confirm(typed(answer).terminal, "?", !expected)).toBe(expected);
  });

  it("shows its default and takes it for an empty line", () => {
    const yes = typed(" ");
    expect([confirm(yes.terminal, "Go?", true), yes.output()]).toEqual([true, "Go? (Y/n): "]);
    const no = typed("");
    expect([confirm(no.terminal, "Go?", false), no.output()]).toEqual([false, "Go? (y/N): "]);
  });

  it("asks again after anything else", () => {
    const { terminal, output } = typed("1", "y");
    expect(confirm(terminal, "Go?", false)).toBe(true);
    expect(output()).toBe("Go? (y/N): Invalid value: 1\nGo? (y/N): ");
  });
});

describe("without a terminal", () => {
  const { terminal, output } = typed();
  const silent = { ...terminal, isTty: false };

  it("everything is its default and nothing is printed", () => {
    expect(menu(silent, "Pick\n", ["Deploy", "Status"])).toBe("Deploy");
    expect(confirm(silent, "?", true)).toBe(true);
    expect(confirm(silent, "?", false)).toBe(false);
    expect(ask(silent, "?", { minLength: 5 })).toBe("");
    expect(output()).toBe("");
  });
});

describe("on a real terminal", () => {
  let directory: string;
  let program: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "terminal-"));
    program = join(directory, "menu.cjs");
    writeFileSync(program, await bundle(join(__dirname, "fixtures.menu.ts"), {}));
  });

  afterAll(() => rmSync(directory, { recursive: true }));

  function run(command: string, args: string[], input: [prompt: string, answer: string][]): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
      const left = [...input];
      let output = "";
      child.stdout.on("data", (data: Buffer) => {
        output += data;
        const [prompt, answer] = left[0] ?? ["", ""];
        if (prompt === "" || !output.endsWith(prompt)) return;
        left.shift();
        child.stdin.write(`${answer}\n`);
      });
      child.on("error", reject).on("close", () => resolve(output));
      if (input.length === 0) child.stdin.end("2\ny\nabc\n");
    });
  }

  it("the menu is shown and the answers are read; a hidden one is not echoed", async () => {
    const output = await run(
      "script",
      ["-qec", `${process.execPath} ${program}`, "/dev/null"],
      [
        ["Pick\r\n ", "2"],
        ["Sure? (y/N): ", "y"],
        ["Secret: ", "abc"],
      ],
    );
    expect(output.replaceAll("\r", "")).toBe(
      '  1) First\n  2) Second\nPick\n 2\nSure? (y/N): y\nSecret: ***\n{"picked":"Second","sure":true,"secret":"abc"}\n',
    );
  });

  it("a pipe is none: what is written into it is never read", async () => {
    expect(await run(process.execPath, [program], [])).toBe('{"picked":"First","sure":false,"secret":""}\n');
  });
});
