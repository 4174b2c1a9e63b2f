import { readdirSync, readFileSync, statSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { readJudged } from "../../../../core/steps/database/judgement";
import { test } from "../boxed";
import type { Sandbox } from "../sandbox";
import { callDatabase, holdLock, inPython, tornNode } from "./databases";

const hash = "8abca42833461ecb17b5e77787212439a2f2a0b132e413d4146d18bf40dcf5c1";
const torn = `nom torn 25 ${hash} undo 26 38 58\nconsensus sound - -\n`;

/** All files and what is in them. */
function filesOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => /^(nom|consensus)\//.test(name));
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(directory, name), "base64")]));
}

function withOneBitTurned(bytes: Buffer, at: number): Buffer {
  const turned = Buffer.from(bytes);
  turned[at] = (turned[at] ?? 0) ^ 1;
  return turned;
}

const judge = (box: Sandbox) => callDatabase(box, `judge_database ${box.dir}`);
const cure = (box: Sandbox) => callDatabase(box, `cure_database ${box.dir}`);

describe.concurrent("the database of a node that was killed", () => {
  test("is judged torn, with the newest momentum and what cures it; the look changes no byte", async ({ box }) => {
    const directory = tornNode(box);
    const before = filesOf(directory);
    expect(await judge(box)).toEqual({ code: 3, stdout: torn, stderr: "" });
    expect(filesOf(directory)).toEqual(before);
  });

  test("is read from tables too, compressed as they are", async ({ box }) => {
    tornNode(box);
    const genesis = `genesis = nom.stored(PATCH, 1)
untouched = [key for key in genesis if FRONTIER + key not in nom.database.recent]
print(len(genesis), len(untouched), all(nom.value(key) == genesis[key] for key in untouched), nom.value(b"nothing"))`;
    expect(inPython(box, genesis)).toBe("107 102 True None\n");
  });

  test("is sound after its cure, which adds one file and keeps what was there for root alone", async ({ box }) => {
    const directory = tornNode(box);
    const before = filesOf(directory);
    const { code, stdout } = await cure(box);
    expect(code).toBe(0);
    expect(readJudged(stdout)).toEqual([
      { name: "nom", state: "sound", frontier: { height: 25, hash } },
      { name: "consensus", state: "sound" },
    ]);
    const { "nom/000006.log": added, ...rest } = filesOf(directory);
    expect(added).toBeDefined();
    expect(rest).toEqual(before);
    const copy = stdout.match(/^copy (.*)$/m)?.[1] ?? "";
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const kept = JSON.parse(readFileSync(copy, "utf8"));
    expect(kept).toMatchObject({ height: 25, hash, cure: "undo", of: 26 });
    expect(Object.keys(kept.had)).toHaveLength(58);
    // A second time there is nothing to do.
    const again = await cure(box);
    expect(again).toEqual({ code: 0, stdout: `nom sound 25 ${hash}\nconsensus sound - -\n`, stderr: "" });
    expect(readdirSync(directory).filter((name) => name.startsWith("nom.before"))).toHaveLength(1);
    // Without the added file all is as it was.
    unlinkSync(join(directory, "nom/000006.log"));
    expect((await judge(box)).stdout).toBe(torn);
  });

  test("the taking back of a momentum that was cut off is undone", async ({ box }) => {
    tornNode(box);
    await cure(box);
    inPython(box, "put(sorted(nom.stored(ROLLBACK, 25).items(), reverse=True)[:4])");
    expect(await judge(box)).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^nom torn 25 \S+ redo 25 [1-4] \d+\n/),
    });
    const { code, stdout } = await cure(box);
    expect(code).toBe(0);
    expect(stdout).toMatch(`nom sound 25 ${hash}`);
  });

  test("a rollback that a momentum of another branch left is not applied", async ({ box }) => {
    tornNode(box);
    await cure(box);
    // Another momentum of the same height, whole: what undoes 26 names the one that was there.
    inPython(
      box,
      `name = bytes([10, 34, 10, 32]) + b"x" * 32 + bytes([16, 25])
dump = b"\\1\\1" + NEWEST + as_varint(len(name)) + name
put([(NEWEST, name)], [(PATCH + struct.pack(">Q", 25), dump)])`,
    );
    expect((await judge(box)).stdout).toBe(`nom sound 25 ${"78".repeat(32)}\nconsensus sound - -\n`);
  });

  test("with a value that is neither of before nor of after it is beyond this", async ({ box }) => {
    tornNode(box);
    inPython(box, 'put([(sorted(set(nom.stored(ROLLBACK, 26)) - {NEWEST})[0], b"else")])');
    const { code, stdout } = await cure(box);
    expect(code).toBe(4);
    expect(stdout).toMatch(
      "nom unreadable - - 1 of 58 keys have neither what momentum 26 gives them nor what they had before it",
    );
  });

  test("is left alone while a node holds it, and judged again after", async ({ box }) => {
    const directory = tornNode(box);
    for (const lock of [".lock", "nom/LOCK", "consensus/LOCK"]) {
      const release = await holdLock(join(directory, lock));
      for (const call of [judge, cure]) {
        const { code, stdout, stderr } = await call(box);
        expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
        expect(stderr).toBe(
          `${directory}/${lock} is held: the node runs on this directory, or something else has its database open\n`,
        );
      }
      await release();
    }
    expect((await judge(box)).code).toBe(3);
  });

  test("whose journal broke off in the middle of a write is judged by what came before", async ({ box }) => {
    const directory = tornNode(box);
    const journal = join(directory, "nom/000003.log");
    truncateSync(journal, statSync(journal).size - 20);
    expect((await judge(box)).stdout).toMatch(`nom torn 25 ${hash} undo 26 `);
  });

  test("of which something is missing or damaged is unreadable, and not touched", async ({ box }) => {
    const directory = tornNode(box);
    const journal = join(directory, "nom/000003.log");
    const whole = readFileSync(journal);
    const table = join(directory, "nom/000002.ldb");
    const wholeTable = readFileSync(table);
    truncateSync(table, 5000);
    const cut = `nom unreadable - - 000002.ldb has 5000 bytes, not ${wholeTable.length}\nconsensus sound - -\n`;
    expect(await cure(box)).toEqual({ code: 4, stdout: cut, stderr: "" });
    // Each byte of what is read counts: of its last block, which says where all others lie.
    writeFileSync(table, withOneBitTurned(wholeTable, wholeTable.length - 60));
    expect((await cure(box)).stdout).toMatch(/^nom unreadable - - 000002\.ldb is damaged in the block at byte \d+\n/);
    writeFileSync(table, wholeTable);
    writeFileSync(journal, withOneBitTurned(whole, 40_000));
    const first = await cure(box);
    expect(first.code).toBe(4);
    expect(first.stdout).toMatch(
      /^nom unreadable - - 000003\.log is damaged at byte \d+ of \d+\nconsensus sound - -\n$/,
    );
    writeFileSync(journal, whole);
    unlinkSync(join(directory, "consensus/CURRENT"));
    const second = await cure(box);
    expect(second).toEqual({
      code: 4,
      stdout: `nom torn 25 ${hash} undo 26 38 58\nconsensus unreadable - - CURRENT names no manifest that is there\n`,
      stderr: "",
    });
    expect(readdirSync(join(directory, "nom"))).not.toContain("000006.log");
  });

  test("is not there where no node ran, and too large for the time and memory where so little is given", async ({
    box,
  }) => {
    const nothing = await judge(box);
    expect(nothing.code).toBe(6);
    expect(nothing.stderr).toBe(`${box.dir} has no nom: no node has run there, or its database is elsewhere\n`);
    tornNode(box);
    const { code, stdout } = await callDatabase(box, `database_memory=20; judge_database ${box.dir}`);
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
  });
});
