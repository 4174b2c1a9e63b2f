import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { execa } from "execa";
import { expect, it } from "vitest";
import { readArchive } from "../../../core/orchestrator/archive";
import { openBackup } from "../../../core/orchestrator/vault";
import { startS3 } from "../../../lab/backends";
import { keepPrinted } from "../../../lab/testRun/printed";
import {
  copyBackups,
  filledExport,
  filledIn,
  type Placeholders,
  strippedExport,
  withPlaceholders,
} from "../../../lab/upgradeFixture";
import { journeyIn, movesIn } from "../../recordIn";
import { linesOf, onHost, transcripts } from "../fixture";
import { backupsOf, configureMove, moveStage, signersOf, stageOf } from "../orchestrator/moveStage";

// What an earlier version left on an operator's machine, in the place of what this one wrote: made by `npm run lab -- fixture`.
const fixture = join(import.meta.dirname, "fixture");
/** Where it is made anew, it is this lab's own. */
const isWritten = process.env.PILLAR_LAB_FIXTURE === "write";
const stage = moveStage();

const exported = async () => String((await stage.stack.pulumi(["stack", "export", "--show-secrets"])).stdout);
const identityFile = () => stage.stack.backupKey("Anvil");
/** Where an earlier version kept them. */
const inCheckout = () => join(stage.stack.programDirectory, "backups/Anvil");

/** The values of this lab that the fixture has placeholders for. */
async function valuesOf(): Promise<Placeholders> {
  const { producerAddress = "" } = await stage.stack.outputs<{ producerAddress?: string }>();
  expect(producerAddress).toMatch(/^z1q/);
  const privateKey = readFileSync(stage.lab.privateKeyFile, "utf8");
  return {
    ...{ newAddress: stage.fresh.address, oldAddress: stage.old.address },
    ...{ newHostKey: stage.fresh.hostKey, oldHostKey: stage.old.hostKey },
    ...{ privateKey, privateKeyTrimmed: privateKey.trim(), producerAddress },
    ...{ program: stage.stack.programDirectory, data: join(stage.stack.dir, "data") },
    ...{ controllerRelease: stage.lab.releaseUrl(), orchestratorRelease: stage.lab.orchestratorRelease().url },
  };
}

/** What must not happen again: a deploy, a start of the node, a move. */
const trace = async () => ({
  deploys: (await transcripts(stage.fresh)).length,
  node: await onHost(stage.fresh, "systemctl show -p ExecMainStartTimestampMonotonic go-node"),
  signer: await onHost(stage.fresh, "systemctl show -p ExecMainStartTimestampMonotonic orchestrator"),
});

interface Kept {
  readonly resources: readonly {
    readonly urn: string;
    readonly id?: string;
    readonly outputs?: Record<string, unknown>;
  }[];
}
const gateIn = (text: string) => {
  const { resources } = (JSON.parse(text) as { deployment: Kept }).deployment;
  const gate = resources.find(({ urn }) => urn.includes("SyncGate"));
  return { syncedAt: gate?.outputs?.syncedAt, startedAt: gate?.outputs?.startedAt };
};

it("finishes a journey: synced, the signer moved", async () => {
  const { exitCode, output } = await stage.stack.up();
  expect(exitCode, output).toBe(0);
  expect(await signersOf(stage)).toEqual(["new"]);
  if (!isWritten) return;
  const values = await valuesOf();
  copyBackups(backupsOf(stage), join(fixture, "backups"), (text) => withPlaceholders(text, values));
  writeFileSync(join(fixture, "age-identity"), readFileSync(identityFile()));
  writeFileSync(join(fixture, "state.json"), strippedExport(await exported(), values));
});

/** What the engine said of all resources but those that the program did not have then. */
const withoutNew = (output: string) =>
  linesOf(output)
    .split("\n")
    .filter((line) => !/orchestrator-(copy-key|bulk-copy)\b|^\+ \d+ (to create|created)/.test(line))
    .join("\n");

it("takes over what an earlier version left, without a replacement, a redeploy or a forgotten fact", async () => {
  const before = await trace();
  const values = await valuesOf();
  const own = await exported();
  const text = readFileSync(join(fixture, "state.json"), "utf8");
  rmSync(join(stage.stack.dir, "data"), { recursive: true });
  copyBackups(join(fixture, "backups"), inCheckout(), (each) => filledIn(each, values));
  writeFileSync(`${inCheckout()}.age-identity`, readFileSync(join(fixture, "age-identity")), { mode: 0o600 });
  await stage.stack.pulumi(["stack", "import"], { input: filledExport(text, own, values) });
  expect(gateIn(await exported())).toEqual(gateIn(text));
  if (!isWritten) expect(gateIn(text)).not.toEqual(gateIn(own));

  // As configured then: no hash was asked for.
  const { url, version } = stage.lab.orchestratorRelease();
  await configureMove(stage, { release: { url, version } });

  const preview = await stage.stack.preview();
  expect(preview.exitCode, preview.output).toBe(0);
  expect(withoutNew(preview.output)).not.toMatch(/ (create|delete|replace|create-replacement|delete-replaced)\b/);
  // The move of then is over: what is new since looks at the new host alone.
  await stage.old.stop();
  const up = await stage.stack.up();
  expect(up.exitCode, up.output).toBe(0);
  expect(withoutNew(up.output)).not.toMatch(/ (created|deleted|replaced|creating|deleting|replacing)\b/);
  if (!isWritten) expect(up.output).toContain("the move has begun or ended here (running): nothing is copied now");
  await stage.old.start();
  expect(await trace()).toEqual(before);
  expect(gateIn(await exported())).toEqual(gateIn(text));
  expect([await stageOf(stage.old), await stageOf(stage.fresh)]).toEqual(["moved", "running"]);
  const { producerAddress, orchestrator } = await stage.stack.outputs<{
    producerAddress?: string;
    orchestrator?: { side: string };
  }>();
  expect([producerAddress, orchestrator?.side]).toEqual([values.producerAddress, "new"]);
});

it("knows the record and the backups of then, and opens them", async () => {
  const events = journeyIn(backupsOf(stage), "Anvil").map(({ event }) => event);
  expect(events).toEqual(expect.arrayContaining(["host", "synced", "recorded"]));
  const moves = movesIn(backupsOf(stage));
  expect(moves.map(({ event }) => event)).toEqual(expect.arrayContaining(["backup", "secured", "done"]));
  expect(moves.filter(({ event }) => event === "done")).toHaveLength(1);
  const secret = /AGE-SECRET-KEY-\S+/.exec(readFileSync(identityFile(), "utf8"))?.[0] ?? "";
  const sealed = readdirSync(backupsOf(stage)).filter((name) => name.endsWith(".tar.age"));
  expect(sealed.length).toBeGreaterThan(0);
  for (const name of sealed) {
    const archive = await readArchive();
    await pipeline(await openBackup(join(backupsOf(stage), name), secret), new PassThrough(), archive.input);
    expect([...archive.manifest().keys()].join()).toContain("config.json");
  }
});

it("brought them out of the checkout, which can be cleaned now", async () => {
  expect(lstatSync(inCheckout()).isSymbolicLink()).toBe(true);
  expect(readFileSync(`${inCheckout()}/record.jsonl`, "utf8")).toBe(
    readFileSync(join(backupsOf(stage), "record.jsonl"), "utf8"),
  );
  expect(lstatSync(`${inCheckout()}.age-identity`).isSymbolicLink()).toBe(true);
  const names = readdirSync(join(fixture, "backups"));
  expect(readdirSync(backupsOf(stage))).toEqual(expect.arrayContaining(names));
  for (const name of names) expect(lstatSync(join(backupsOf(stage), name)).mode & 0o777).toBe(0o600);
  for (const place of [join(stage.stack.dir, "data/pillar-host"), backupsOf(stage)])
    expect(lstatSync(place).mode & 0o777).toBe(0o700);
  // What `git clean -fdx` does to it.
  rmSync(join(stage.stack.programDirectory, "backups"), { recursive: true });
  const { timeline } = JSON.parse(await stage.stack.cli(["report", "prod", "--json"]));
  const made = timeline.find(({ event }: { event: string }) => event === "backup").details;
  expect([made.file.startsWith(backupsOf(stage)), existsSync(made.file)]).toEqual([true, true]);
  expect(made.identityFile).toBe(identityFile());
});

it("changes nothing in the next up", async () => {
  const { exitCode, output } = await stage.stack.up();
  expect(exitCode, output).toBe(0);
  expect(output).toMatch(/Resources:\s+\d+ unchanged\n/);
});

it("moves into a bucket, where another machine finds all of it, without a replacement, a redeploy or a forgotten fact", async () => {
  const bucket = await startS3(stage.lab);
  const own = join(stage.stack.dir, "data");
  const typed = async (words: readonly string[], data = own) => {
    const [command = "", ...args] = stage.lab.atOperator(words);
    const env = { ...stage.stack.env, ...bucket.env, XDG_DATA_HOME: data };
    const options = { cwd: stage.stack.programDirectory, env, all: true, reject: false, stdin: "ignore" } as const;
    const { exitCode, all } = await execa(command, args, options);
    keepPrinted(all);
    expect(exitCode, all).toBe(0);
    return all;
  };
  const report = (data = own) => typed(["./pillar-host", "report", "prod", "--json"], data);
  const up = (data = own) =>
    typed(["pulumi", "up", "--yes", "--skip-preview", "--non-interactive", "-s", "prod"], data);
  const before = { trace: await trace(), gate: gateIn(await exported()), report: await report() };
  const brought = readdirSync(backupsOf(stage)).filter((name) => /\.(tar\.age|manifest\.json)$/.test(name)).length;
  const lines = readFileSync(join(backupsOf(stage), "record.jsonl"), "utf8")
    .trimEnd()
    .split("\n").length;
  expect(await typed(["./pillar-host", "store", "move", "prod", bucket.url])).toContain(
    `${lines} lines of the record and ${brought} files of backups are in s3://state/pillar-host/Anvil/ now`,
  );
  await configureMove({ ...stage, store: bucket.url });
  const elsewhere = join(stage.lab.dir, "another-machine");
  cpSync(join(own, "pillar-host/keys"), join(elsewhere, "pillar-host/keys"), { recursive: true });
  expect(await up()).not.toMatch(/\d+ (created|replaced|deleted)/);
  for (const data of [own, elsewhere]) expect(await up(data)).not.toMatch(/\d+ (created|updated|replaced|deleted)/);
  expect({ trace: await trace(), gate: gateIn(await exported()), report: await report() }).toEqual(before);
  // A backup that is not on a machine is named by where it was when it was made.
  const byName = (text: string) => text.replace(/("file": ").*\//g, "$1").replaceAll(elsewhere, own);
  expect(byName(await report(elsewhere))).toBe(byName(before.report));
  expect([await stageOf(stage.old), await stageOf(stage.fresh)]).toEqual(["moved", "running"]);
});
