import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readArchive } from "../../../core/orchestrator/backup/archive.ts";
import { decryptBackup } from "../../../core/orchestrator/backup/vault.ts";
import type { ChainTruth } from "../../../lab/doubles/chain/index.ts";
import { awaitPaidEpoch, collectLastRewards } from "../../../lab/operator/wallet.ts";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import { databaseOf, expectFailure, linesOf, missedByNodes, onHost } from "../fixture.ts";
import {
  backupsOf,
  configureOld,
  elect,
  journeyOf,
  pillar,
  quick,
  resourcesOf,
  retirementStage,
  traceOf,
} from "./stage.ts";

keepEngineLogs();

const stage = retirementStage();
let said = "";
let linesSeen = "";
// Command lines while somebody is at work there.
const watch = `cat > /run/watch.pl << 'END'
$| = 1;
open my $out, '>>', '/run/command-lines'; select((select($out), $| = 1)[0]);
while (1) {
  for (glob '/proc/[0-9]*/cmdline') {
    open my $file, '<', $_ or next; local $/; my $line = <$file> // ''; $line =~ tr/\\0/ /;
    print $out "$line\\n" unless $seen{$line}++;
  }
  select undef, undef, undef, 0.005;
}
END
systemd-run -q --unit=watch perl /run/watch.pl`;

async function run(operation: "up" | "destroy"): Promise<{ exitCode: number; output: string }> {
  const ran = await stage.stack[operation]();
  said += ran.output;
  return { ...ran, output: linesOf(ran.output) };
}

it("adopts a producing host without a change to it", async () => {
  const before = await traceOf(stage.old);
  const { exitCode, output } = await run("up");
  expect(exitCode, output).toBe(0);
  expect(await traceOf(stage.old)).toBe(before);
  expect(journeyOf(stage).map(({ event }) => event)).toEqual(["host", "recorded"]);
  const destroy = await run("destroy");
  expect([destroy.exitCode === 0, destroy.output.includes("because it is protected")]).toEqual([false, true]);
  expect(await traceOf(stage.old)).toBe(before);
});

it("refuses to shut it down while it is the producer, before any change", async () => {
  await configureOld(stage, { lifecycle: "retiring" });
  const before = [await resourcesOf(stage), await traceOf(stage.old)];
  const output = await expectFailure(run("up"));
  expect(output).toContain(
    `error: ${stage.old.address}, the host of stack prod for Anvil, can't be shut down yet; nothing was changed. 2 conditions are not met:`,
  );
  for (const what of [
    "- this host's producer address is the registered one, say this host's node",
    "- the successor's producer address is not the registered one of Anvil, say this host's node",
    `registered: ${stage.addresses.old}`,
    "Then: pulumi up -s prod",
  ])
    expect(output).toContain(what);
  expect([await resourcesOf(stage), await traceOf(stage.old)]).toEqual(before);
});

it("shuts it down once the successor produces, for good", async () => {
  // Rewards are paid when the test asks for it.
  await stage.lab.chain("PATCH", "/truth", { rewardDelaySeconds: 100_000 });
  await elect(stage, stage.addresses.fresh);
  await onHost(stage.old, watch);
  const { exitCode, output } = await run("up");
  linesSeen += await onHost(stage.old, "systemctl stop watch; sort -u /run/command-lines");
  expect(exitCode, output).toBe(0);
  expect(await databaseOf(stage.old)).toBe("");
  expect(await onHost(stage.old, "ls -d /etc/systemd/system/go-node.service.d 2> /dev/null || true")).toBe("");
  const { nextStep } = await stage.stack.outputs<{ nextStep: string[] }>();
  expect([nextStep[0], nextStep.at(-1)]).toEqual([
    "The node of this host is off, and stays off.",
    "  pulumi destroy -s prod",
  ]);
  await stage.old.reboot();
  expect(await onHost(stage.old, "systemctl is-active go-node || systemctl is-enabled go-node || true")).toBe(
    "inactive\nmasked",
  );
  const again = await run("up");
  expect(again.output).toMatch(/\d+ unchanged/);
  expect(again.output).not.toMatch(/created|updated|replaced/);
});

it("refuses the destroy until the rewards are paid and collected", async () => {
  const before = [await resourcesOf(stage), await traceOf(stage.old)];
  const refused = await expectFailure(run("destroy"));
  expect(refused).toMatch(
    /- the rewards since the switch are not collected, says the successor's node \(10\.\d+\.\d+\.\d+\)\nfound: the first whole epoch after the switch, \d+, is not paid yet \(it .*\)\nneeded: collect them in the wallet that holds the reward address, z1q\w+; due by about .*\nThen: pulumi destroy -s prod\n/,
  );
  expect(refused).toContain("Waiting is enough. If it is impossible to wait: docs/retiring.md, The way around");
  expect(refused).not.toContain("PILLAR_HOST_GIVE_UP_ANYWAY");
  await stage.lab.chain("PATCH", "/truth", { rewardDelaySeconds: quick.rewardDelaySeconds });
  await awaitPaidEpoch(stage.lab);
  const paid = await run("destroy");
  expect(paid.exitCode).not.toBe(0);
  expect(paid.output).toMatch(/found: paid since epoch \d+, and not collected: [\d.]+ ZNN and 0 QSR wait/);
  expect([await resourcesOf(stage), await traceOf(stage.old)]).toEqual(before);
});

it("allows the destroy then, with a last backup that opens, and keeps the event log", async () => {
  await collectLastRewards(stage.lab, pillar);
  await onHost(stage.old, watch);
  const { exitCode, output } = await run("destroy");
  linesSeen += await onHost(stage.old, "systemctl stop watch; sort -u /run/command-lines");
  expect(exitCode, output).toBe(0);
  const files = readdirSync(backupsOf(stage));
  const sealed = files.filter((name) => name.endsWith(".tar.age"));
  expect(sealed).toEqual([expect.stringMatching(/^pillar-host-prod-Anvil-retired-.*\.tar\.age$/)]);
  for (const name of files) expect(statSync(join(backupsOf(stage), name)).mode & 0o77).toBe(0);
  expect(await opened(join(backupsOf(stage), sealed[0] ?? ""))).toEqual({
    files: ["root/.znn/config.json", "root/.znn/network-private-key", "root/.znn/wallet/producer"],
    config: await onHost(stage.old, "cat /root/.znn/config.json"),
  });
  const events = journeyOf(stage).map(({ event }) => event);
  expect(events).toEqual(["host", "recorded", "shuttingDown", "shutDown", "refused", "refused", "rewards", "released"]);
});

it("left no secret in output, state, event log, manifests or command lines", async () => {
  const names = readdirSync(backupsOf(stage)).filter((name) => !name.endsWith(".age"));
  expect(names.length).toBeGreaterThan(1);
  const texts: Record<string, string> = { said, state: await stage.stack.written(), linesSeen };
  for (const name of names) texts[name] = readFileSync(join(backupsOf(stage), name), "utf8");
  expect(linesSeen).toMatch(/ (retire|orchestrator)_/);
  for (const secret of stage.secrets)
    for (const [name, text] of Object.entries(texts))
      expect(text.includes(secret), `${secret.slice(0, 4)} in ${name}`).toBe(false);
});

it("cost no momentum, and there were never two producers", async () => {
  const truth = await stage.lab.chain<ChainTruth>("GET", "/truth");
  expect([missedByNodes(truth), truth.doubleProduced]).toEqual([[], []]);
});

/** Lists a backup's files, opened with the key that the program made. */
async function opened(file: string) {
  const identity = stage.stack.backupKey("Anvil");
  expect(existsSync(identity)).toBe(true);
  const secret = /AGE-SECRET-KEY-\S+/.exec(readFileSync(identity, "utf8"))?.[0] ?? "";
  const sealed = await decryptBackup(createReadStream(file), secret);
  const { manifest, kept } = await readArchive(sealed, (path) => path.endsWith("config.json"));
  const files = [...manifest.values()].filter(({ kind }) => kind === "file").map(({ path }) => path);
  return { files: files.sort(), config: [...kept.values()][0]?.text.trim() };
}
