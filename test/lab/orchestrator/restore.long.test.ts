import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SignersTruth } from "../../../lab/doubles/chain";
import type { ExampleDir } from "../../../lab/doubles/orchestrator/exampleDir";
import { ensurePackagedImage } from "../../../lab/images/packagedImage";
import type { Lab, LabHost } from "../../../lab/lab";
import { setUpOrchestrator, waitForOrchestrator } from "../../../lab/oldHost/runningOrchestrator";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode";
import type { LabStack } from "../../../lab/stack/stack";
import { cli } from "../cli/fixture";
import { onHost, testLab, testStack } from "../fixture";
import type { CodeBlock } from "../readme";
import { type BackupMade, backupMade, below, RestoreDesk } from "./restoreDesk";

describe("an orchestrator restored from a backup alone", () => {
  let lab: Lab;
  let old: LabHost;
  let third: LabHost;
  let stack: LabStack;
  let state: ExampleDir;
  let desk: RestoreDesk;
  let made: BackupMade;

  const typed = (block: CodeBlock | undefined) => desk.typed(block);
  const signs = (host: LabHost) => onHost(host, "systemctl is-active orchestrator || true");

  beforeAll(async () => {
    lab = await testLab();
    old = await lab.addHost("old", ensurePackagedImage);
    third = await lab.addHost("third", ensurePackagedImage);
    for (const { name } of [old, third])
      await lab.chain("PATCH", `/orchestrators/${name}`, { syncPollMs: 500, stopMs: 300 });
    await Promise.all([setUpSyncedNode(lab, old), setUpSyncedNode(lab, third)]);
    state = await setUpOrchestrator(lab, old);
    stack = await testStack(lab, old);
    desk = await RestoreDesk.create(lab, [third, old]);
  });
  afterAll(() => lab?.down());

  it("backs up a running orchestrator without stopping it, and prints no secret", async () => {
    const told = await cli(stack, ["backup", "prod"]);
    expect(told.exitCode, told.out).toBe(0);
    expect(told.out).toContain(
      `backup of the orchestrator of ${old.address} (prod), encrypted, and proved by reading it back:`,
    );
    expect(told.out).toMatch(new RegExp(`key share +root/.orchestrator/${state.keyShareFile}`));
    for (const secret of state.secrets) expect(told.out.includes(secret)).toBe(false);
    expect(await signs(old)).toBe("active");
    const { identities } = await lab.chain<SignersTruth>("GET", "/signers");
    expect(identities[state.identity]?.gaps ?? []).toEqual([]);
  });

  it("says after a key generation that the earlier backup is useless", async () => {
    // As a key generation leaves it: the same name, another share.
    await onHost(old, `touch -d 2026-01-02T03:04:05Z /root/.orchestrator/${state.keyShareFile}`);
    const same = await cli(stack, ["backup", "prod", "--json"]);
    expect(backupMade(same.out).stale).toEqual([]);
    await onHost(old, `cd /root/.orchestrator/tss && echo '{"another": "share"}' > localstate-another.json`);
    const told = await cli(stack, ["backup", "prod", "--json"]);
    expect(told.exitCode, told.out).toBe(0);
    made = backupMade(told.out);
    expect(made.keyShare.files).toHaveLength(2);
    expect(made.stale).toHaveLength(2);
    await onHost(old, "rm /root/.orchestrator/tss/localstate-another.json");
    made = backupMade((await cli(stack, ["backup", "prod", "--json"])).out);
    expect(made.keyShare).toMatchObject({ generatedAt: "2026-01-02T03:04:05.000Z" });
  });

  it("makes no backup without an orchestrator, and exits with 2 and what is needed", async () => {
    await onHost(old, "systemctl stop orchestrator; mv /root/.orchestrator /root/away");
    const told = await cli(stack, ["backup", "prod"]);
    expect(told.exitCode, told.out).toBe(2);
    expect(told.out).toBe(
      [
        "no backup of the orchestrator of prod was made: there is no orchestrator to back up",
        `  found: none on ${old.address}`,
        "  needed: the stack of the host on which the orchestrator runs",
        "  Then: ./pillar-host backup prod",
      ].join("\n"),
    );
    await onHost(old, "mv /root/away /root/.orchestrator; systemctl start orchestrator");
    await waitForOrchestrator(lab, old, state.identity);
  });

  it("takes only the backup and its key to another machine", async () => {
    await desk.take(made, { old, fresh: third, release: lab.orchestratorRelease() });
    const [variables] = below("Variables");
    const names = [...(variables?.text ?? "").matchAll(/^([A-Z_0-9]+)=/gm)].map(([, name]) => name);
    expect(Object.keys(desk.given)).toEqual(names);
  });

  it("1: the commands fence a running old host, also over a reboot", async () => {
    const [check, fence] = below("1.");
    expect(await typed(check)).toMatchObject({ exitCode: 1, out: "NOT FENCED: it runs" });
    await onHost(old, "systemctl stop orchestrator");
    expect(await typed(check)).toMatchObject({ exitCode: 1, out: "NOT FENCED: its unit is not masked" });
    expect((await typed(fence)).exitCode).toBe(0);
    expect(await typed(check)).toEqual({ exitCode: 0, out: "FENCED" });
    await old.reboot();
    await expect.poll(async () => (await typed(check)).out).toBe("FENCED");
    expect((await typed(fence)).exitCode).toBe(0);
    expect(await typed(check)).toEqual({ exitCode: 0, out: "FENCED" });
  });

  it("2 to 4: the third host runs the same orchestrator, with its share", { timeout: 180_000 }, async () => {
    const [isFree, install] = below("2.");
    expect(await typed(isFree)).toEqual({ exitCode: 0, out: "active\nFREE" });
    const installed = await typed(install);
    expect(installed.exitCode, installed.out).toBe(0);
    expect(await signs(third)).toBe("inactive");

    const [opened] = below("3.");
    const listed = await typed(opened);
    expect(listed.exitCode, listed.out).toBe(0);
    expect(listed.out).toMatch(new RegExp(`2026-01-02 03:04 ${state.keyShareFile}`));
    const wrong = await typed({ ...(opened as CodeBlock), text: opened?.text.replace("$IDENTITY", "/dev/null") ?? "" });
    expect(wrong.exitCode).not.toBe(0);
    expect((await typed(opened)).exitCode).toBe(0);

    const [start, answer] = below("4.");
    expect((await typed(start)).exitCode).toBe(0);
    await waitForOrchestrator(lab, third, state.identity);
    const answers = await typed(answer);
    expect(answers.exitCode, answers.out).toBe(0);
    expect(answers.out).toContain(state.identity);
    expect(answers.out).toMatch(/"state": ?0\b/);
    const { doubles } = await lab.chain<SignersTruth>("GET", "/signers");
    expect(doubles).toEqual([]);
    expect(await signs(old)).toBe("inactive");
    expect(await readdir(join(third.root, "root"))).not.toContain("restored");
    const share = await readFile(join(third.root, "root/.orchestrator", String(state.keyShareFile)), "utf8");
    expect(share).toBe(state.files[String(state.keyShareFile)]?.text);
  });
});
