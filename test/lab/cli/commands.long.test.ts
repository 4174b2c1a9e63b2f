import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { CheckRow } from "../../../cli/check/checkRow.ts";
import { commandsFor } from "../../../core/util/commands.ts";
import { endProcess } from "../../../lab/hosts/machine.ts";
import type { LabHost } from "../../../lab/lab.ts";
import { waitForOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { expectSuccess, linesOf, onHost } from "../fixture.ts";
import { moveStage } from "../orchestrator/moveStage.ts";
import { type LabWebhook, startWebhook } from "../webhook.ts";
import { cli, typedAsPrinted, typedInTerminal } from "./fixture.ts";

// The node is synced, and the orchestrator's move is next.
describe("the commands between two runs", () => {
  let webhook: LabWebhook;
  const stage = moveStage({
    prepare: async (made) => {
      webhook = await startWebhook(made.lab);
      await made.stack.pulumi(["config", "set", "--secret", "pillar-host:notify"], { input: webhook.address });
    },
  });
  afterAll(async () => {
    if (webhook) await endProcess(webhook.process);
  });

  it("next names the orchestrator's move first, and not the wallet", async () => {
    const told = await expectSuccess(cli(stage.stack, ["next", "prod"]));
    expect(told).toBe(
      [
        "The orchestrator moves in the next run. Run it now, and watch it:",
        "  pulumi up -s prod",
        "Update the wallet after that run. Its last lines tell you what to do in",
        "the wallet for Anvil.",
      ].join("\n"),
    );
  });

  it("check rehearses the move and forecasts its gap; it writes to no host", { timeout: 180_000 }, async () => {
    // Without what node and orchestrator write by themselves.
    const list = (host: LabHost) =>
      onHost(
        host,
        "find /etc /usr/local /root /var/lib /var/spool/cron -xdev \\( -path '/root/.*node*' -o -path /root/.znn -o -path '/root/.orchestrator/*.log' -o -path '*/logs' -o -path /var/lib/systemd \\) -prune" +
          " -o -type f -exec sha256sum {} + -o -printf '%y %m %u %p %l\\n' | sort",
      );
    const before = [await list(stage.old), await list(stage.fresh)];
    expect(before[0]).toMatch(/ \/root\/\.orchestrator\/\S+/);
    const told = await expectSuccess(cli(stage.stack, ["check", "prod", "--json"]));
    expect([await list(stage.old), await list(stage.fresh)]).toEqual(before);
    const { good, rows } = JSON.parse(told) as { good: boolean; rows: CheckRow[] };
    expect(good).toBe(true);
    const rehearsed = rows.flatMap(({ topic, lines }) => (topic === "orchestrator's move" ? lines : [])).join("\n");
    expect(rehearsed).toContain("rehearsed: nothing was written on either host");
    expect(rows.flatMap(({ gapSeconds }) => gapSeconds ?? [])).toEqual([{ least: expect.any(Number) }]);
    expect(rehearsed).toMatch(/MB\/s|MB a second/);
    const [room, key] = rows.find(({ topic }) => topic === "this machine")?.lines ?? [];
    expect(room).toContain(`B free at ${stage.stack.records("Anvil")}, for the event log and backups`);
    expect(key).toBe(
      `${stage.stack.backupKey("Anvil")} will be the key of the backups: keep copies of the key and of the backups elsewhere, apart from each other`,
    );
  });

  it("a problem's printed command solves it, even with another stack selected", {
    timeout: 180_000,
  }, async () => {
    await stage.stack.pulumi(["stack", "init", "other"]);
    const file = () => readFile(join(stage.stack.programDirectory, "Pulumi.other.yaml"), "utf8");
    const before = await file();
    await stage.stack.pulumi(["config", "set", "pillar-host:sync.hourlyRestart", "true", "-s", "prod"]);
    const refused = await cli(stage.stack, ["check", "prod"]);
    expect(refused.exitCode).toBe(2);
    const [, command = ""] =
      /was set without --path\. Set it again with --path, then: (.*)$/m.exec(refused.output) ?? [];
    expect(command).toMatch(/^pulumi config rm .* -s prod$/);
    expect(await typedAsPrinted(stage.stack, command)).toMatchObject({ exitCode: 0 });
    expect(await file()).toBe(before);

    await onHost(stage.old, "systemctl stop orchestrator");
    const amiss = await cli(stage.stack, ["check", "prod"]);
    await onHost(stage.old, "systemctl start orchestrator");
    await waitForOrchestrator(stage.lab, stage.old, stage.state.identity);
    expect(amiss.exitCode, amiss.output).toBe(1);
    expect(amiss.output).toContain(`${stage.old.address}: the orchestrator does not run (orchestrator)`);
    const [, again = ""] = /Then check again: (.*)$/m.exec(amiss.output) ?? [];
    expect(again).toMatch(/ check prod$/);
    const checked = await typedAsPrinted(stage.stack, again);
    expect(checked.exitCode, `${again}\n${checked.output}`).toBe(0);
  });

  it("adopt creates the old host's stack and runs it; retire runs until the refusal", {
    timeout: 300_000,
  }, async () => {
    const adopted = await expectSuccess(
      typedAsPrinted(stage.stack, commandsFor("old").adopt(stage.old.address, "prod")),
    );
    expect(adopted).toContain("running: pulumi up -s old\n");
    expect(adopted).toMatch(/host:ExistingHost|guard/);
    const retire = commandsFor("old").retire("prod");
    for (const size of [
      { columns: 80, rows: 24 },
      { columns: 120, rows: 40 },
    ]) {
      const retired = await typedInTerminal(stage.stack, retire, size);
      expect(retired.exitCode, retired.shown).not.toBe(0);
      expect(retired.shown).toContain("running: pulumi up -s old\n");
      expect(linesOf(retired.shown)).toContain(
        `${stage.old.address}, the host of stack old for Anvil, can't be shut down yet`,
      );
      expect(linesOf(retired.screen)).toMatch(/^needed: [\s\S]*^Then: pulumi up -s old$/m);
      expect(
        retired.screen.endsWith(`Nothing is lost. Solve the problem above, if there is one, then run:\n  ${retire}\n`),
      ).toBe(true);
    }
    expect(await onHost(stage.old, "systemctl is-active go-node orchestrator")).toBe("active\nactive");
  });

  it("the move ends with the wallet's steps; next prints them while the node is synced", {
    timeout: 300_000,
  }, async () => {
    const { output: next } = await cli(stage.stack, ["next", "prod"]);
    const [, command = ""] = /^ {2}(pulumi .*)$/m.exec(next) ?? [];
    expect(command).toBe("pulumi up -s prod");
    const output = await expectSuccess(typedAsPrinted(stage.stack, command));
    // The note is printed once, and not by later runs.
    await expectSuccess(stage.stack.up());
    const notices = (await webhook.notices()).map(({ body }) => body);
    const told = notices.filter(({ event }) => event === "signerMoved");
    expect(told).toEqual([expect.objectContaining({ title: "Pillar Anvil (prod): signerMoved" })]);
    expect(told[0]?.message).toMatch(new RegExp(`^the orchestrator signs on ${stage.fresh.address} now, the new host`));
    expect(JSON.stringify(notices)).not.toMatch(/z1q/);
    const { producerAddress } = await stage.stack.outputs<{ producerAddress: string }>();
    expect(output).toMatch(
      /What comes next:\s+The orchestrator signs here now[\s\S]+The node of Anvil is synced\. Now, in the desktop wallet:/,
    );
    const after = await cli(stage.stack, ["next", "prod"]);
    expect(after.output).toContain(`  3. Producer address field: ${producerAddress}`);

    await onHost(stage.fresh, "systemctl stop go-node");
    const behind = await expectSuccess(cli(stage.stack, ["next", "prod", "--json"]));
    expect(behind).toContain("Do not touch the wallet: the node of Anvil is not reachable now");
    expect(behind).not.toContain(producerAddress);
  });
});
