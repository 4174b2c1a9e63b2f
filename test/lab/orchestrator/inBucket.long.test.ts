import { existsSync, readdirSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keepPrinted } from "../../../lab/testRun/printed";
import { expectFailure, expectSuccess, onHost } from "../fixture";
import { configureMove, moveStage, signersOf, stageOf } from "./moveStage";

const stage = moveStage({ inBucket: true });
const first = () => stage.stack.env.XDG_DATA_HOME ?? "";
const records = (data: string) => join(data, "pillar-host/records/Anvil");

/**
 * Returns the data directory of another laptop: with repository, backend, pass phrase and store, and only the key of
 * the first one's data.
 */
const second = () => join(stage.lab.dir, "second");

async function typed(words: readonly string[], data: string) {
  const env = { ...stage.stack.env, XDG_DATA_HOME: data };
  const options = { cwd: stage.stack.programDirectory, env, all: true, reject: false, stdin: "ignore" } as const;
  const { exitCode, all } = await stage.lab.run(words, options);
  keepPrinted(all);
  return { exitCode, output: all };
}
const up = (data: string) =>
  typed(["pulumi", "up", "--yes", "--skip-preview", "--non-interactive", "-s", "prod"], data);

it("a move writes its events and backups into the bucket, and completes", async () => {
  await expectSuccess(stage.stack.up());
  expect(await signersOf(stage)).toEqual(["new"]);
  // A copy of each backup is here, and no event log: that is in the bucket alone.
  const here = readdirSync(records(first()));
  expect(here.filter((name) => name.endsWith(".tar.age"))).toHaveLength(2);
  expect(here).not.toContain("record.jsonl");
});

it("another laptop finds the move done", async () => {
  await cp(join(first(), "pillar-host/keys"), join(second(), "pillar-host/keys"), { recursive: true });
  const output = await expectSuccess(up(second()));
  expect(output).not.toMatch(/\d+ (created|updated|replaced|deleted)/);
  const report = ["./pillar-host", "report", "prod", "--json"];
  const [theirs, ours] = [await typed(report, second()), await typed(report, first())];
  expect(theirs.output).toContain(".tar.age");
  expect(theirs.output).toBe(ours.output);
});

it("another laptop moves the orchestrator back, proved by the bucket's backups", async () => {
  await rm(join(first(), "pillar-host"), { recursive: true });
  await configureMove(stage, { rollback: true });
  await expectSuccess(up(second()));
  expect(await signersOf(stage)).toEqual(["old"]);
  expect([await stageOf(stage.old), await stageOf(stage.fresh)]).toEqual(["running", "moved"]);
  expect(existsSync(join(records(second()), "record.jsonl"))).toBe(false);
});

it("begins no move without the bucket, and the orchestrator keeps signing", async () => {
  const before = await onHost(stage.old, "systemctl show -p MainPID orchestrator");
  await configureMove({ ...stage, store: String(stage.store).replace("s3://state?", "s3://nobody?") }, { attempt: 2 });
  const output = await expectFailure(up(second()));
  expect(output).toContain("the bucket of the event log can't be read: s3://nobody/pillar-host/Anvil/");
  expect(output).toContain("404 NoSuchBucket");
  expect(await signersOf(stage)).toEqual(["old"]);
  expect(await onHost(stage.old, "systemctl show -p MainPID orchestrator")).toBe(before);
});
