import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findForeignState } from "../../../cli/pulumi/foreignState.ts";
import { rounds } from "../../../lab/explore/rounds.ts";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import { expectSuccess, filesWith, onHost } from "../fixture.ts";
import {
  backupsOf,
  configureMove,
  contentOf,
  copyLeftovers,
  moveStage,
  signers,
  signersOf,
  stageOf,
  sudoPassword,
} from "./moveStage.ts";
import { playReportedMoves } from "./reportedMoves.ts";

keepEngineLogs();

interface Kept {
  readonly urn: string;
  readonly type: string;
  readonly inputs?: { readonly stdin?: { readonly plaintext?: string }; readonly __provider?: string };
}

describe("the whole move of the orchestrator", () => {
  const setup = { extraFiles: { count: 500, bytes: 100_000 } };
  const stage = moveStage({ setup, nodeHostAt: (address) => address, withSudo: true, hasPillar: true });
  let output = "";
  let gapSeconds = 0;
  const linesSeen: Record<string, string> = {};
  // Command lines while the move is at work, twice a second.
  const watch = "systemd-run -q --unit=watch bash -c 'while :; do ps -eo args >> /run/command-lines; sleep 0.5; done'";

  it("moves in one up, with a login other than root on the old host, and ends with exactly one orchestrator", async () => {
    const before = await contentOf(stage.old);
    for (const host of [stage.old, stage.fresh]) await onHost(host, watch);
    const run = await stage.stack.up();
    output = run.output;
    for (const host of [stage.old, stage.fresh]) {
      await onHost(host, "systemctl stop watch");
      linesSeen[host.name] = await onHost(host, "sort -u /run/command-lines");
    }
    expect(run.exitCode, output).toBe(0);
    // Nearly all of it, by the new host, before the move itself begins.
    expect(output).toMatch(/copied: \d+ MB; what changes until the orchestrator stops is copied after that/);
    expect(output.indexOf("copied: ")).toBeLessThan(output.indexOf("orchestrator: bulk copy to the new host"));
    expect(output).toContain("the orchestrator of the new host answers: v0.0.9a; watching it for 3 s");
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await contentOf(stage.fresh)).toBe(before);
    expect([await stageOf(stage.old), await stageOf(stage.fresh)]).toEqual(["moved", "running"]);
    // The chain measured from the old one's last report to the new one's first.
    const gap = (await signers(stage)).identities[stage.state.identity]?.gaps.at(-1);
    expect(gap).toMatchObject({ from: "old", to: "fresh" });
    expect(gap?.ms).toBeGreaterThan(0);
    gapSeconds = Number(gap?.ms) / 1000;
    expect(gap?.ms).toBeLessThan(60_000);
  });

  it("says what it does, and what comes next", async () => {
    const { orchestrator, nextStep } = await stage.stack.outputs<{
      orchestrator: Record<string, unknown>;
      nextStep: string[];
    }>();
    expect(orchestrator).toMatchObject({
      side: "new",
      address: stage.fresh.address,
      version: "v0.0.9a",
      goVersion: "go1.22.1",
      gitCommit: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    // From the order to stop to the first good answer: by other clocks than the chain's, and about the same.
    const seconds = Number(orchestrator.secondsWithoutSigner);
    expect(seconds).toBeGreaterThan(gapSeconds / 2);
    expect(seconds).toBeLessThan(gapSeconds + 15);
    expect(nextStep.join("\n")).toContain("The bridge's health page shows it as offline until its operators know");
  });

  it("uses the new host's node, with the old user and password, and stays up without the old host's", async () => {
    const { old, fresh, state } = stage;
    expect(output).toContain(`new host: config.json: node address ${old.address}:35998 becomes 127.0.0.1:35998`);
    expect(await onHost(fresh, "cat /root/.orchestrator/config.json")).toContain(`"${state.nodeUrl("127.0.0.1")}"`);
    const nodesOf = "ss -Htnp state established dport = :35998 | grep -F orchestrator | awk '{ print $4 }'";
    expect(await onHost(fresh, nodesOf)).toBe("127.0.0.1:35998");
    const processOf = () => onHost(fresh, "systemctl show -p MainPID -p NRestarts orchestrator");
    const before = await processOf();
    await onHost(old, "systemctl stop go-node");
    const { now } = await signers(stage);
    // It looks at its connection four times a second, and would end before it reports again.
    await expect
      .poll(async () => (await signers(stage)).identities[state.identity]?.intervals.at(-1)?.until)
      .toBeGreaterThan(now + 2000);
    expect([await processOf(), await signersOf(stage)]).toEqual([before, ["new"]]);
    await onHost(old, "systemctl start go-node");
  });

  it("fences the old host against a reboot, and enables the new host's orchestrator", async () => {
    expect(
      await onHost(stage.old, "systemctl is-enabled orchestrator || true; ls /root/.orchestrator | grep producer"),
    ).toMatch(new RegExp(`^masked\\nproducer\\.moved-to-${stage.fresh.address}-\\d{8}T\\d{6}Z$`));
    await stage.old.reboot();
    await stage.fresh.reboot();
    await expect.poll(() => signersOf(stage)).toEqual(["new"]);
  });

  it("leaves no copy key, and no secret in log, state, event log or command lines", async () => {
    expect(await copyLeftovers(stage)).toBe("");
    const { stdout: exported } = await stage.stack.pulumi(["stack", "export"]);
    expect(findForeignState("prod", String(exported))).toBeUndefined();
    const texts = {
      output,
      exported: String(exported),
      state: await stage.stack.written(),
      bulkCopy: await bulkCopyInput(),
      record: readFileSync(`${backupsOf(stage)}/record.jsonl`, "utf8"),
      old: linesSeen.old ?? "",
      fresh: linesSeen.fresh ?? "",
    };
    expect(texts.old).toContain("orchestrator_stop");
    const [, privateKey = ""] = readFileSync(stage.lab.privateKeyFile, "utf8").split("\n");
    for (const secret of [...stage.state.secrets, sudoPassword, privateKey, "OPENSSH PRIVATE KEY"])
      for (const [name, text] of Object.entries(texts))
        expect(text.includes(secret), `${secret.slice(0, 4)} in ${name}`).toBe(false);
    const files = readdirSync(backupsOf(stage));
    expect(files.filter((name) => name.endsWith(".age"))).toHaveLength(2);
    for (const name of files) expect(statSync(`${backupsOf(stage)}/${name}`).mode & 0o77).toBe(0);
    expect(await filesWith(stage.fresh, stage.state.passphrase)).not.toMatch(/var\/(lib|log)\/pillar-host/);
  });

  async function exportResources(...options: readonly string[]): Promise<readonly Kept[]> {
    const { stdout } = await stage.stack.pulumi(["stack", "export", ...options]);
    return (JSON.parse(String(stdout)) as { deployment: { resources: readonly Kept[] } }).deployment.resources;
  }

  it("keeps no code in the state, the login's key in remote commands and the engine's configuration alone, and few bytes", async () => {
    const [, privateKey = ""] = readFileSync(stage.lab.privateKeyFile, "utf8").split("\n");
    for (const { urn, type, inputs } of await exportResources("--show-secrets")) {
      const mayHaveKey = type === "command:remote:Command" || type === "pulumi:providers:pulumi-nodejs";
      expect(JSON.stringify(inputs ?? {}).split(privateKey).length - 1, urn).toBe(mayHaveKey ? 1 : 0);
      expect(inputs?.__provider ?? "pillar-host:None").toMatch(/^pillar-host:\w+$/);
    }
    const stored = await exportResources();
    const withoutScripts = JSON.stringify(stored, (key, value) => (key === "stdin" ? undefined : value));
    expect(JSON.stringify(stored).length).toBeLessThan(900_000);
    expect(withoutScripts.length).toBeLessThan(300_000);
  });

  /** Reads the bulk copy's inputs from the state, where they are a secret. */
  async function bulkCopyInput(): Promise<string> {
    const resources = await exportResources("--show-secrets");
    const stdin = resources.find(({ urn }) => urn.endsWith("::orchestrator-bulk-copy"))?.inputs?.stdin;
    expect(stdin?.plaintext).toContain("copy_receive");
    return String(stdin?.plaintext);
  }

  it("the next up changes nothing, also without orchestrator.move, and says so", async () => {
    const before = await bulkCopyInput();
    const again = await expectSuccess(stage.stack.up());
    expect(again).not.toMatch(/orchestrator-(move|backup|install|bulk-copy).*(updat|creat|replac)/);
    expect(await bulkCopyInput()).toBe(before);
    await configureMove(stage, { move: false });
    await expectSuccess(stage.stack.up());
    expect(await signersOf(stage)).toEqual(["new"]);
    const { nextStep } = await stage.stack.outputs<{ nextStep: string[] }>();
    expect(nextStep.join("\n")).toContain("nothing was changed on either host, the orchestrator stays on the new host");
    await configureMove(stage);
  });

  it("moves back on request, stays there, and moves again with a higher attempt", async () => {
    await configureMove(stage, { rollback: true });
    await expectSuccess(stage.stack.up());
    expect(await signersOf(stage)).toEqual(["old"]);
    expect(await stageOf(stage.old)).toBe("running");
    await configureMove(stage);
    await expectSuccess(stage.stack.up());
    expect(await signersOf(stage)).toEqual(["old"]);
    await configureMove(stage, { attempt: 2 });
    await expectSuccess(stage.stack.up());
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await copyLeftovers(stage)).toBe("");
  });

  it("the report has the chain's figures after each move, with and without missed slots", {
    timeout: 120_000 * rounds,
  }, async () => {
    await playReportedMoves(stage, rounds);
  });
});
