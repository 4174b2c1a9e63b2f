import fs from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compiled } from "../compile";
import { scratchDirectory } from "./scratchDirectory";

const root = scratchDirectory();

beforeEach(() => {
  for (const name of ["package.json", "tsconfig.pulumi.json"]) fs.cpSync(name, join(root(), name));
  for (const name of ["cli", "components", "core", "examples", "providers"]) fs.mkdirSync(join(root(), name));
  fs.writeFileSync(join(root(), "providers/word.ts"), `export const word: string = "one";`);
  fs.writeFileSync(join(root(), "components/step.sh"), "echo one");
  fs.writeFileSync(
    join(root(), "index.ts"),
    `import { readFileSync } from "node:fs";
     import { word } from "./providers/word";
     export = () => [word, readFileSync(\`\${__dirname}/components/step.sh\`, "utf8")];`,
  );
});

afterEach(() => void vi.restoreAllMocks());

async function runs(): Promise<unknown> {
  const program = await import(join(compiled(root()), "index.js"));
  return program.default();
}

it("compiles the program with the scripts beside it, once", async () => {
  expect(await runs()).toEqual(["one", "echo one"]);
  const first = compiled(root());
  expect(compiled(root())).toBe(first);
  expect(fs.readdirSync(join(root(), ".compiled"))).toHaveLength(1);
});

it.each([
  ["providers/word.ts", `export const word: string = "two";`, ["two", "echo one"]],
  ["components/step.sh", "echo two", ["one", "echo two"]],
])("never runs an older program: %s", async (file, text, result) => {
  await runs();
  fs.writeFileSync(join(root(), file), text);
  expect(await runs()).toEqual(result);
});

describe("the compiled program is private, because it is run", () => {
  const place = () => join(root(), ".compiled");
  const modes = (path: string) =>
    fs.readdirSync(path, { recursive: true, withFileTypes: true }).map((entry) => {
      const mode = fs.statSync(join(entry.parentPath, entry.name)).mode & 0o777;
      return `${entry.isDirectory() ? "directory" : "file"} ${mode.toString(8)}`;
    });

  it("is private even if the umask lets everybody write", () => {
    const before = process.umask(0);
    try {
      compiled(root());
    } finally {
      process.umask(before);
    }
    expect((fs.statSync(place()).mode & 0o777).toString(8)).toBe("700");
    expect(new Set(modes(place()))).toEqual(new Set(["directory 700", "file 600"]));
  });

  it.each([0o777, 0o775, 0o720, 0])("is created again if others could have written into it: %o", async (mode) => {
    fs.writeFileSync(join(compiled(root()), "index.js"), "module.exports = () => 'planted';");
    fs.chmodSync(mode === 0 ? compiled(root()) : place(), mode === 0 ? 0o777 : mode);
    expect(await runs()).toEqual(["one", "echo one"]);
    expect((fs.statSync(place()).mode & 0o777).toString(8)).toBe("700");
  });

  it("is refused if another user owns it", () => {
    compiled(root());
    const owner = fs.statSync(place()).uid;
    if (owner === 0) fs.chownSync(place(), 65_534, 65_534);
    else vi.spyOn(process, "getuid").mockReturnValue(owner + 1);
    expect(() => compiled(root())).toThrow(/must be a directory that only you .*found: .*user \d+.*needed: \w/s);
  });

  it("is refused if it is a link", () => {
    const elsewhere = join(root(), "elsewhere");
    fs.mkdirSync(elsewhere);
    fs.symlinkSync(elsewhere, place());
    expect(() => compiled(root())).toThrow("must be a directory that only you can write to");
  });

  it("is on the disk before it has its name", () => {
    const done: string[] = [];
    const [open, sync, rename] = [fs.openSync, fs.fsyncSync, fs.renameSync];
    const names = new Map<number, string>();
    vi.spyOn(fs, "openSync").mockImplementation((path, ...rest) => {
      const handle = open(path, ...rest);
      names.set(handle, String(path));
      return handle;
    });
    vi.spyOn(fs, "fsyncSync").mockImplementation((handle) => {
      done.push(`sync ${names.get(handle)?.replace(/^.*\.compiled/, "")}`);
      sync(handle);
    });
    vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
      done.push("rename");
      rename(from, to);
    });
    compiled(root());
    const renamed = done.indexOf("rename");
    const synced = done.slice(0, renamed).join("\n");
    for (const name of ["index.js", "providers/word.js", "components/step.sh"]) expect(synced).toContain(`/${name}`);
    expect(done.at(-1)).toBe("sync ");
  });

  it.each(["EACCES", "EROFS", "ENOSPC"])("says what is needed if it can't be written: %s", (code) => {
    vi.spyOn(fs, "mkdirSync").mockImplementation(() => {
      throw Object.assign(new Error(`${code}: not allowed, mkdir`), { code });
    });
    const said = new RegExp(`^the program can't be compiled .*\n {2}found: ${code}: .*\n {2}needed: \\w`);
    expect(() => compiled(root())).toThrow(said);
  });

  it("the command line says so without a stack", async () => {
    fs.cpSync("nodeVersion.js", join(root(), "nodeVersion.js"));
    for (const name of ["compile.js", "compileCache.js", "cli/bin.js", "package.json", "main.js"])
      fs.cpSync(name, join(root(), name));
    fs.symlinkSync(join(process.cwd(), "node_modules"), join(root(), "node_modules"));
    fs.writeFileSync(place(), "in the way");
    for (const [file, exit] of Object.entries({ "cli/bin.js": 2, "main.js": 1 })) {
      const { exitCode, stderr } = await execa(process.execPath, [join(root(), file)], { reject: false });
      expect([exitCode, stderr.split("\n")[0]]).toEqual([
        exit,
        expect.stringContaining("be a directory that only you"),
      ]);
      expect(stderr).not.toMatch(/^ {4}at /m);
    }
  });
});
