import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { readJudged } from "../../../../core/steps/database/judgement";
import { test } from "../boxed";
import type { Sandbox } from "../sandbox";
import { callDatabase, tornNode } from "./databases";

const hash = "66085c059b5aa733181bcb9d3c1d4c9a30ffdb96b552fbc714e5e8d76cd39857";
const torn = `nom torn 49 ${hash} undo 50 30 58\nconsensus sound - -\n`;

/** All files and what is in them. */
function filesOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => /^(nom|consensus)\//.test(name));
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(directory, name), "base64")]));
}

/** Holds a lock, as a node that runs, until it is ended. */
async function holdLock(path: string): Promise<() => Promise<void>> {
  const holder = spawn("flock", [path, "sh", "-c", "echo held; read -r _"], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  return () =>
    new Promise((resolve) => {
      holder.once("close", () => resolve());
      holder.stdin.end();
    });
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

  test("is sound after its cure, which adds one file and keeps what was there for root alone", async ({ box }) => {
    const directory = tornNode(box);
    const before = filesOf(directory);
    const { code, stdout } = await cure(box);
    expect(code).toBe(0);
    expect(readJudged(stdout)).toEqual([
      { name: "nom", state: "sound", frontier: { height: 49, hash } },
      { name: "consensus", state: "sound" },
    ]);
    const { "nom/000003.log": added, ...rest } = filesOf(directory);
    expect(added).toBeDefined();
    expect(rest).toEqual(before);
    const copy = stdout.match(/^copy (.*)$/m)?.[1] ?? "";
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const kept = JSON.parse(readFileSync(copy, "utf8"));
    expect(kept).toMatchObject({ height: 49, hash, cure: "undo", of: 50 });
    expect(Object.keys(kept.had)).toHaveLength(58);
    // A second time there is nothing to do.
    const again = await cure(box);
    expect(again).toEqual({ code: 0, stdout: `nom sound 49 ${hash}\nconsensus sound - -\n`, stderr: "" });
    expect(readdirSync(directory).filter((name) => name.startsWith("nom.before"))).toHaveLength(1);
    // Without the added file all is as it was.
    unlinkSync(join(directory, "nom/000003.log"));
    expect((await judge(box)).stdout).toBe(torn);
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
    const journal = join(directory, "nom/000001.log");
    truncateSync(journal, statSync(journal).size - 20);
    expect((await judge(box)).stdout).toMatch(`nom torn 49 ${hash} undo 50 `);
  });

  test("of which something is missing or damaged is unreadable, and not touched", async ({ box }) => {
    const directory = tornNode(box);
    const journal = join(directory, "nom/000001.log");
    const whole = readFileSync(journal);
    const damaged = Buffer.from(whole);
    damaged[40_000] = (damaged[40_000] ?? 0) ^ 1;
    writeFileSync(journal, damaged);
    const first = await cure(box);
    expect(first.code).toBe(4);
    expect(first.stdout).toMatch(
      /^nom unreadable - - 000001\.log is damaged at byte \d+ of \d+\nconsensus sound - -\n$/,
    );
    writeFileSync(journal, whole);
    unlinkSync(join(directory, "consensus/CURRENT"));
    const second = await cure(box);
    expect(second).toEqual({
      code: 4,
      stdout: `nom torn 49 ${hash} undo 50 30 58\nconsensus unreadable - - CURRENT names no manifest that is there\n`,
      stderr: "",
    });
    expect(readdirSync(join(directory, "nom"))).not.toContain("000003.log");
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
