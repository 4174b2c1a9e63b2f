import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test as base, describe, expect } from "vitest";
import {
  compareManifests,
  createManifest,
  formatDifferences,
  normalizePath,
  parseManifest,
  quotePath,
  readManifest,
  sumManifest,
} from "../../../../core/orchestrator/backup/manifest";
import { type LocalRoot, localRoot } from "../localRoot";

const test = base.extend<{ root: LocalRoot; dir: string }>({
  root: async ({ task: _task }, provide) => {
    const root = localRoot();
    await provide(root);
    root.close();
  },
  dir: async ({ root }, provide) => {
    const dir = join(root.scratch, "signer");
    mkdirSync(dir, { mode: 0o750 });
    chmodSync(dir, 0o750);
    await provide(dir);
  },
});

const sha = (text: string) => execFileSync("sha256sum", { input: text }).toString().slice(0, 64);
const odd = [
  "-rf",
  "a b",
  "two\nlines",
  `it's "quoted" $HOME \\`,
  "ünïcode-日本",
  "*",
  ".hidden",
  "a  b\t",
  "]x[$(id)`id`",
];

describe("a manifest of a host", () => {
  test("has each entry with mode, owner, size and hash, and no lock, socket or pipe", async ({ root, dir }) => {
    writeFileSync(join(dir, "config.json"), "{}", { mode: 0o600 });
    mkdirSync(join(dir, "tss"), { mode: 0o700 });
    writeFileSync(join(dir, "tss", ".lock"), "kept", { mode: 0o4755 });
    chmodSync(join(dir, "tss", ".lock"), 0o4755);
    symlinkSync("../elsewhere", join(dir, "link"));
    writeFileSync(join(dir, ".lock"), "left out");
    execFileSync("mkfifo", [join(dir, "pipe")]);
    const manifest = await readManifest(root, { base: dir, paths: ["."] });
    const owner = `${process.getuid?.()}:${process.getgid?.()}`;
    expect([...manifest.values()]).toEqual([
      { path: ".", kind: "dir", mode: "750", owner, size: 0 },
      { path: "config.json", kind: "file", mode: "600", owner, size: 2, sha256: sha("{}") },
      { path: "link", kind: "link", mode: "777", owner, size: 0, target: "../elsewhere" },
      { path: "tss", kind: "dir", mode: "700", owner, size: 0 },
      { path: "tss/.lock", kind: "file", mode: "4755", owner, size: 4, sha256: sha("kept") },
    ]);
    expect(sumManifest(manifest)).toEqual({ files: 2, bytes: 6 });
  });

  test("has files of any name", async ({ root, dir }) => {
    for (const name of odd) writeFileSync(join(dir, name), name);
    const manifest = await readManifest(root, { base: dir, paths: ["."] });
    expect([...manifest.keys()]).toEqual([".", ...odd].sort());
    for (const name of odd) expect(manifest.get(name)?.sha256).toBe(sha(name));
  });

  test("covers several paths below one base, without missing ones", async ({ root, dir }) => {
    for (const name of ["a", "b", "c"]) mkdirSync(join(dir, name));
    writeFileSync(join(dir, "a", ".lock"), "");
    writeFileSync(join(dir, "b", "file"), "");
    const manifest = await readManifest(root, { base: dir, paths: ["a", "b/file", "none"] });
    expect([...manifest.keys()]).toEqual(["a", "b/file"]);
    expect((await readManifest(root, { base: dir, paths: ["none"] })).size).toBe(0);
  });

  test("hashes only changed files the second time", async ({ root, dir }) => {
    for (const name of ["one", "two"]) writeFileSync(join(dir, name), "before");
    const place = { base: dir, paths: ["."] };
    const first = await readManifest(root, place);
    // Younger than two seconds: not kept.
    expect(readFileSync(join(root.scratch, "state/manifest.cache"), "utf8")).toBe("");
    await new Promise((resolve) => setTimeout(resolve, 3100));
    await readManifest(root, place);
    expect(readFileSync(join(root.scratch, "state/manifest.cache"), "utf8").trim().split("\n")).toHaveLength(2);
    // The second manifest hashes nothing: it does not need sha256sum, which fails here.
    root.before = "sha256sum() { exit 9; }; PATH=/nowhere:$PATH; xargs() { exit 9; }";
    expect(compareManifests(first, await readManifest(root, place))).toEqual([]);
    // Size and time are the same: only the kernel's own change time differs.
    writeFileSync(join(dir, "two"), "after!");
    utimesSync(join(dir, "two"), 1, 1);
    utimesSync(join(dir, "one"), 1, 1);
    expect(compareManifests(first, await readManifest(root, place))).toEqual([{ path: "two", what: "other bytes" }]);
  });

  test("leaves out a file that vanishes, and fails at an unreadable one", async ({ root, dir }) => {
    for (const name of ["one", "two"]) writeFileSync(join(dir, name), "x");
    root.before = `xargs() { rm -f ./one; command xargs "$@"; }`;
    expect([...(await readManifest(root, { base: dir, paths: ["."] })).keys()]).toEqual([".", "two"]);
    root.before = `xargs() { printf 'sha256sum: ./two: Input/output error\\n' >&2; return 123; }`;
    await new Promise((resolve) => setTimeout(resolve, 10));
    await expect(readManifest(root, { base: dir, paths: ["."] })).rejects.toThrow(
      /can't be read\n {2}sha256sum: .\/two: Input/,
    );
  });

  test("ends at an endless list", async ({ root, dir }) => {
    root.before = "signer_manifest() { yes; }";
    await expect(readManifest(root, { base: dir, paths: ["."] })).rejects.toThrow(
      `local: the list of files in ${dir} is larger than 64 MiB`,
    );
  });

  test("has hard links as files", async ({ root, dir }) => {
    writeFileSync(join(dir, "one"), "x");
    linkSync(join(dir, "one"), join(dir, "two"));
    expect(sumManifest(await readManifest(root, { base: dir, paths: ["."] }))).toEqual({ files: 2, bytes: 2 });
    rmSync(join(dir, "one"));
  });
});

describe("parsing", () => {
  const hash = "a".repeat(64);
  const line = (...fields: string[]) => `${fields.join("\0")}\0`;

  test("refuses truncated output", () => {
    const whole = line("f", "600", "0:0", "1", hash, "./x");
    expect(() => parseManifest(Buffer.from(whole.slice(0, -1)))).toThrow("cut off");
    expect(() => parseManifest(Buffer.from(`${whole}f\0`))).toThrow("cut off");
    expect(parseManifest(Buffer.from("")).size).toBe(0);
  });

  test.each([
    ["-1", hash],
    ["1e9", hash],
    ["", hash],
    ["1", "ab"],
    ["1", "\u001b[2J"],
  ])("a file of %j bytes with the hash %j is an error", (size, content) => {
    expect(() => parseManifest(Buffer.from(line("f", "600", "0:0", size, content, "./x")))).toThrow(
      "the list of files has no valid size and hash for x",
    );
  });

  test("refuses a device, and two names that look alike", () => {
    expect(() => parseManifest(Buffer.from(line("b", "600", "0:0", "0", "", "./x y")))).toThrow('"x y" is a device');
    const twins = Buffer.concat(
      [0xff, 0xfe].flatMap((byte) => [Buffer.from(`f\x00600\x000:0\x001\x00${hash}\x00./`), Buffer.from([byte, 0])]),
    );
    expect(() => parseManifest(twins)).toThrow("two files have the same name");
  });

  test("normalizes paths", () => {
    expect(["./a/b/", ".", "./.", "././.lock", "/x"].map(normalizePath)).toEqual(["a/b", ".", ".", ".lock", "x"]);
  });
});

describe("comparing", () => {
  const file = { path: "a", kind: "file", mode: "600", owner: "0:0", size: 1, sha256: "x" } as const;
  const against = (changes: object) =>
    compareManifests(createManifest([file]), createManifest([{ ...file, ...changes }]));

  test.each([
    ["no change", {}, undefined],
    ["mode and owner", { mode: "644", owner: "1000:0" }, "mode 644, not 600, owner 1000:0, not 0:0"],
    ["size", { size: 2, sha256: "y" }, "2 bytes, not 1"],
    ["bytes", { sha256: "y" }, "other bytes"],
    ["kind", { kind: "link", target: "b" }, "a link, not a file"],
  ])("finds a change of an entry: %s", (_what, changes, what) => {
    expect(against(changes)).toEqual(what === undefined ? [] : [{ path: "a", what }]);
  });

  test("lists missing and new paths, and skips those that may differ", () => {
    const [one, two] = [createManifest([file, { ...file, path: "log" }]), createManifest([{ ...file, path: "b\n" }])];
    const found = compareManifests(one, two, (path) => path === "log");
    expect(formatDifferences(found)).toEqual(["a: missing", '"b\\n": not there before']);
  });

  test("shows at most ten, and how many more there are", () => {
    const many = Array.from({ length: 13 }, (_, index) => ({ ...file, path: `f${index}` }));
    expect(formatDifferences(compareManifests(createManifest(many), createManifest([]))).at(-1)).toBe("and 3 more");
    expect(quotePath("tss/address_book.seed")).toBe("tss/address_book.seed");
  });
});
