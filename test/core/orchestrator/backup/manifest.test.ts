import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import {
  compareManifests,
  createManifest,
  formatDifferences,
  parseManifest,
  quotePath,
  readManifest,
  sumManifest,
} from "../../../../core/orchestrator/backup/manifest.ts";
import { test as base } from "../localRoot.ts";

const test = base.extend("stage", ({ root }) => {
  const dir = join(root.scratch, "signer");
  mkdirSync(dir);
  chmodSync(dir, 0o750);
  const read = (...paths: string[]) => readManifest(root, { base: dir, paths: paths.length > 0 ? paths : ["."] });
  return { root, dir, read };
});

const sha = (text: string) => execFileSync("sha256sum", { input: text }).toString().slice(0, 64);
const odd = ["-rf", "two\nlines", `it's "quoted" $HOME \\`, "ünïcode-日本", "*", ".hidden", "a  b\t", "]x[$(id)`id`"];

describe("a manifest of a host", () => {
  test("has each entry with mode, owner, size and hash, and no lock, socket or pipe", async ({ stage }) => {
    const { dir } = stage;
    writeFileSync(join(dir, "config.json"), "{}", { mode: 0o600 });
    mkdirSync(join(dir, "tss"), { mode: 0o700 });
    writeFileSync(join(dir, "tss", ".lock"), "kept");
    chmodSync(join(dir, "tss", ".lock"), 0o4755);
    symlinkSync("../elsewhere", join(dir, "link"));
    writeFileSync(join(dir, ".lock"), "left out");
    execFileSync("mkfifo", [join(dir, "pipe")]);
    linkSync(join(dir, "config.json"), join(dir, "zhard"));
    const manifest = await stage.read();
    const owner = `${process.getuid?.()}:${process.getgid?.()}`;
    expect([...manifest.values()]).toEqual([
      { path: ".", kind: "dir", mode: "750", owner, size: 0 },
      { path: "config.json", kind: "file", mode: "600", owner, size: 2, sha256: sha("{}") },
      { path: "link", kind: "link", mode: "777", owner, size: 0, target: "../elsewhere" },
      { path: "tss", kind: "dir", mode: "700", owner, size: 0 },
      { path: "tss/.lock", kind: "file", mode: "4755", owner, size: 4, sha256: sha("kept") },
      { path: "zhard", kind: "file", mode: "600", owner, size: 2, sha256: sha("{}") },
    ]);
    expect(sumManifest(manifest)).toEqual({ files: 3, bytes: 8 });
  });

  test("has files of any name, and covers several paths below one base, without missing ones", async ({ stage }) => {
    for (const name of odd) writeFileSync(join(stage.dir, name), name);
    const manifest = await stage.read();
    expect([...manifest.keys()]).toEqual([".", ...odd].sort());
    for (const name of odd) expect(manifest.get(name)?.sha256).toBe(sha(name));
    for (const name of ["a", "b", "c"]) mkdirSync(join(stage.dir, name));
    for (const name of ["a/.lock", "b/file"]) writeFileSync(join(stage.dir, name), "");
    expect([...(await stage.read("a", "b/file", "none")).keys()]).toEqual(["a", "b/file"]);
    expect((await stage.read("none")).size).toBe(0);
  });

  test("hashes only changed files the second time", async ({ stage: { root, dir, read } }) => {
    for (const name of ["one", "two"]) writeFileSync(join(dir, name), "before");
    const first = await read();
    const cache = () => readFileSync(join(root.scratch, "state/manifest.cache"), "utf8");
    // Younger than two seconds: not kept.
    expect(cache()).toBe("");
    await new Promise((resolve) => setTimeout(resolve, 3100));
    await read();
    expect(cache().trim().split("\n")).toHaveLength(2);
    // The second manifest hashes nothing: it does not need sha256sum, which fails here.
    root.before = "sha256sum() { exit 9; }; PATH=/nowhere:$PATH; xargs() { exit 9; }";
    expect(compareManifests(first, await read())).toEqual([]);
    // Size and time are the same: only the kernel's own change time differs.
    writeFileSync(join(dir, "two"), "after!");
    for (const name of ["one", "two"]) utimesSync(join(dir, name), 1, 1);
    expect(compareManifests(first, await read())).toEqual([{ path: "two", what: "other bytes" }]);
  });

  test("leaves out a file that vanishes, and fails at an unreadable one or an endless list", async ({
    stage: { root, dir, read },
  }) => {
    for (const name of ["one", "two"]) writeFileSync(join(dir, name), "x");
    root.before = `xargs() { rm -f ./one; command xargs "$@"; }`;
    expect([...(await read()).keys()]).toEqual([".", "two"]);
    root.before = `xargs() { printf 'sha256sum: ./two: Input/output error\\n' >&2; return 123; }`;
    await new Promise((resolve) => setTimeout(resolve, 10));
    await expect(read()).rejects.toThrow(/can't be read\n {2}sha256sum: .\/two: Input/);
    root.before = "orchestrator_manifest() { yes; }";
    await expect(read()).rejects.toThrow(`local: the list of files in ${dir} is larger than 64 MiB`);
  });
});

describe("parsing", () => {
  const hash = "a".repeat(64);
  const line = (...fields: string[]) => `${fields.join("\0")}\0`;
  const file = (size: string, content: string, path = "./x") => line("f", "600", "0:0", size, content, path);
  const twin = (byte: number) =>
    Buffer.concat([Buffer.from(file("1", hash, "./")).subarray(0, -1), Buffer.from([byte, 0])]);

  test.each<readonly [string, Buffer, string]>([
    ["a cut field", Buffer.from(file("1", hash).slice(0, -1)), "cut off"],
    ["a cut entry", Buffer.from(`${file("1", hash)}f\0`), "cut off"],
    ...[file("-1", hash), file("1e9", hash), file("", hash), file("1", "ab"), file("1", "\u001b[2J")].map(
      (line) => [JSON.stringify(line), Buffer.from(line), "no valid size and hash for x"] as const,
    ),
    ["a device", Buffer.from(line("b", "600", "0:0", "0", "", "./x y")), '"x y" is a device'],
    ["two names that look alike", Buffer.concat([twin(0xff), twin(0xfe)]), "two files have the same name"],
  ])("refuses %s", (_what, printed, why) => {
    expect(() => parseManifest(printed)).toThrow(why);
  });

  test("accepts an empty list, and normalizes paths", () => {
    const paths = ["./a/b/", ".", "./.hidden", "/x"].map((path) => file("1", hash, path)).join("");
    expect([...parseManifest(Buffer.from(paths)).keys()]).toEqual([".", ".hidden", "a/b", "x"]);
    expect(parseManifest(Buffer.from("")).size).toBe(0);
  });
});

describe("comparing", () => {
  const file = { path: "a", kind: "file", mode: "600", owner: "0:0", size: 1, sha256: "x" } as const;

  test.each([
    ["no change", {}, undefined],
    ["mode and owner", { mode: "644", owner: "1000:0" }, "mode 644, not 600, owner 1000:0, not 0:0"],
    ["size", { size: 2, sha256: "y" }, "2 bytes, not 1"],
    ["bytes", { sha256: "y" }, "other bytes"],
    ["kind", { kind: "link", target: "b" } as const, "a link, not a file"],
  ])("finds a change of an entry: %s", (_what, changes, what) => {
    const found = compareManifests(createManifest([file]), createManifest([{ ...file, ...changes }]));
    expect(found).toEqual(what === undefined ? [] : [{ path: "a", what }]);
  });

  test("lists missing and new paths, skips those that may differ, and shows ten at most", () => {
    const [one, two] = [createManifest([file, { ...file, path: "log" }]), createManifest([{ ...file, path: "b\n" }])];
    const found = compareManifests(one, two, (path) => path === "log");
    expect(formatDifferences(found)).toEqual(["a: missing", '"b\\n": not there before']);
    const many = Array.from({ length: 13 }, (_, index) => ({ ...file, path: `f${index}` }));
    expect(formatDifferences(compareManifests(createManifest(many), createManifest([]))).at(-1)).toBe("and 3 more");
    expect(quotePath("tss/address_book.seed")).toBe("tss/address_book.seed");
  });
});
