import { expect, it } from "vitest";
import { formatFenceSentence } from "../../../cli/restore/fenceHost.ts";
import { waitForOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { movesIn } from "../../recordIn.ts";
import { cli } from "../cli/fixture.ts";
import { expectFailure, expectSuccess, onHost } from "../fixture.ts";
import { backupsOf, journalOf, moveStage, signersOf } from "./moveStage.ts";

const stage = moveStage({ withReference: true });
const tool = (...args: readonly string[]) => cli(stage.stack, args, { PULUMI_SKIP_CONFIRMATIONS: "true" });
const eventsSince = (count: number) =>
  movesIn(backupsOf(stage))
    .slice(count)
    .map(({ event }) => event);
const arriving = "/root/.orchestrator.arriving.new";
let sentence: string;

/** Loses the old host, and restores its orchestrator on the new one. @returns the output of the restore, which fails */
async function breakRestore(): Promise<string> {
  await stage.old.stop({ powerCut: true });
  const { exitCode, output } = await tool("restore", "prod", "--first-move", "--fenced", sentence);
  expect(exitCode, output).not.toBe(0);
  expect(output).toContain(
    `Leave ${stage.old.address} off: it may be switched on only after the restore was withdrawn`,
  );
  expect(output).toContain("pulumi config rm --path pillar-host:orchestrator.restoreFrom -s prod");
  return output;
}

/** Switches the lost host on, whose orchestrator signs then. */
async function switchOn(): Promise<void> {
  await stage.old.start();
  await waitForOrchestrator(stage.lab, stage.old, stage.state.identity);
  expect(await signersOf(stage)).toEqual(["old"]);
}

it("starts nothing by a fence whose host was seen, although the configuration still names the backup", async () => {
  const { old, fresh, stack } = stage;
  sentence = formatFenceSentence(old.address);
  await expectSuccess(tool("backup", "prod"));
  // The unpack can't replace a mount point.
  await onHost(fresh, `mkdir -p ${arriving} && mount -t tmpfs none ${arriving}`);
  await breakRestore();
  expect(await journalOf(fresh)).toMatchObject({ stage: "staging", isRestore: true });
  await onHost(fresh, `umount ${arriving}`);
  await switchOn();
  const count = movesIn(backupsOf(stage)).length;
  // An ordinary move would break off in its copy.
  await onHost(fresh, "mv /usr/bin/ssh-keygen /usr/bin/ssh-keygen.away");
  const seen = await expectFailure(stack.up());
  await onHost(fresh, "mv /usr/bin/ssh-keygen.away /usr/bin/ssh-keygen");
  expect(eventsSince(count)).toEqual(["unfenced", "failed"]);
  expect(seen).toContain(`${old.address}: this host answers, although a backup is to take its place`);
  await onHost(old, "systemctl stop ssh");
  const silent = await expectFailure(stack.up());
  expect(silent).toContain(`the old host (${old.address}) is unreachable, and the move needs it`);
  expect(silent).toContain("./pillar-host restore prod");
  expect(await signersOf(stage)).toEqual(["old"]);
  await onHost(old, "systemctl start ssh");
});

it("starts nothing that was unpacked before the lost host was switched on, and moves its orchestrator instead", async () => {
  const { old, fresh, lab, stack, state } = stage;
  // A fault between unpack and start.
  const away = onHost(
    fresh,
    "until [ -s /root/.orchestrator/config.json ]; do sleep 0.02; done; mv /root/.orchestrator/config.json /root/config.json",
  );
  const output = await breakRestore();
  await away;
  expect(output).toContain("/root/.orchestrator is incomplete: not started");
  expect(await journalOf(fresh)).toMatchObject({ stage: "abandoned", isRestore: true });
  await onHost(fresh, "mv /root/config.json /root/.orchestrator.arriving/config.json");
  await switchOn();
  const count = movesIn(backupsOf(stage)).length;
  await stack.pulumi(["config", "rm", "--path", "pillar-host:orchestrator.restoreFrom"]);
  const first = await stack.up();
  await onHost(old, "systemctl stop ssh");
  const second = await stack.up();
  await onHost(old, "systemctl start ssh");
  expect(await signersOf(stage)).toEqual(["new"]);
  expect(first.exitCode, first.output).toBe(0);
  expect(second.exitCode, second.output).toBe(0);
  await waitForOrchestrator(lab, fresh, state.identity);
  expect(eventsSince(count)).toEqual(["unfenced", "backup", "secured", "begun", "starting", "backup", "done"]);
  expect(movesIn(backupsOf(stage)).findLast(({ event }) => event === "begun")?.details).not.toHaveProperty("isRestore");
});
