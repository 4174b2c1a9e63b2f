import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { formatFenceSentence } from "../../../cli/restore/fenceHost.ts";
import type { SignersTruth } from "../../../lab/doubles/chain/index.ts";
import { waitForOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { movesIn } from "../../recordIn.ts";
import { cli } from "../cli/fixture.ts";
import { expectFailure, expectSuccess, onHost } from "../fixture.ts";
import { backupsOf, contentOf, moveStage, signersOf, stageOf } from "./moveStage.ts";

const stage = moveStage({ setup: { extraFiles: { count: 200, bytes: 20_000 } }, withReference: true });

/** Returns what `./pillar-host backup STACK --json` printed, behind what pulumi says. */
const backupMade = (output: string) =>
  JSON.parse(output.slice(output.indexOf("{"))) as {
    readonly file: string;
    readonly keyShare: { readonly files: readonly string[]; readonly generatedAt: string };
  };
const tool = (...args: readonly string[]) => cli(stage.stack, args, { PULUMI_SKIP_CONFIRMATIONS: "true" });
const share = () => String(stage.state.keyShareFile);
let sentence: string;
let content: string;
let file: string;

it("backs up a running orchestrator without stopping it, and prints no secret", async () => {
  const { old, state, lab } = stage;
  const told = await expectSuccess(tool("backup", "prod"));
  expect(told).toContain(
    `backup of the orchestrator of ${old.address} (prod), encrypted, and proved by reading it back:`,
  );
  expect(told).toMatch(new RegExp(`key share +root/.orchestrator/${share()}`));
  for (const secret of state.secrets) expect(told.includes(secret)).toBe(false);
  expect(await signersOf(stage)).toEqual(["old"]);
  const { identities } = await lab.chain<SignersTruth>("GET", "/signers");
  expect(identities[state.identity]?.gaps ?? []).toEqual([]);
});

it("restores no backup with another key share than the bridge's", async () => {
  const { old } = stage;
  await onHost(old, `cd /root/.orchestrator/tss && mv ${share().slice(4)} ../kept && echo '{}' > localstate-00.json`);
  const made = backupMade((await tool("backup", "prod", "--json")).output);
  await onHost(old, `cd /root/.orchestrator/tss && rm localstate-00.json && mv ../kept ${share().slice(4)}`);
  const told = await tool("restore", "prod", "--backup", made.file);
  expect(told.exitCode, told.output).toBe(2);
  expect(told.output).toContain("the backup's key share is not of the bridge's key: a key generation came after it");
});

it("makes no backup without an orchestrator, and exits with 2 and what is needed", async () => {
  const { old, fresh, lab, state } = stage;
  await onHost(old, "systemctl stop orchestrator; mv /root/.orchestrator /root/away");
  const told = await tool("backup", "prod");
  expect(told.exitCode, told.output).toBe(2);
  expect(told.output).toBe(
    [
      "no backup of the orchestrator of prod was made: there is no running orchestrator to back up",
      `  found: ${fresh.address}: no orchestrator runs; its journal: none`,
      `  found: ${old.address}: no orchestrator runs; its journal: none`,
      "  needed: finish its move, start it on its host, or name the stack of that host",
      "  Then: ./pillar-host backup prod",
    ].join("\n"),
  );
  await onHost(old, "mv /root/away /root/.orchestrator; systemctl start orchestrator");
  await waitForOrchestrator(lab, old, state.identity);
});

it("restores nothing while the lost host answers", async () => {
  sentence = formatFenceSentence(stage.old.address);
  await onHost(stage.old, `touch -d 2026-01-02T03:04:05Z /root/.orchestrator/${share()}`);
  const made = backupMade((await tool("backup", "prod", "--json")).output);
  expect(made.keyShare).toMatchObject({ generatedAt: "2026-01-02T03:04:05.000Z" });
  file = made.file;
  content = await contentOf(stage.old);
  const { address, hostKey } = stage.old;
  await expectSuccess(tool("adopt", "prod-0", address, "--like", "prod", "--host-key", hostKey, "--", "--yes"));
  const told = await tool("restore", "prod", "--first-move", "--fenced", sentence);
  expect(told.exitCode, told.output).toBe(2);
  expect(told.output).toContain(
    `${stage.old.address} still answers, so nothing is restored: two orchestrators would sign`,
  );
  expect(await signersOf(stage)).toEqual(["old"]);
});

it("restores nothing before somebody fences the lost host, and an up alone names the command", async () => {
  await stage.old.stop({ powerCut: true });
  const told = await tool("restore", "prod", "--first-move");
  expect(told.exitCode, told.output).toBe(2);
  expect(told.output).toContain(`  needed: switch it off, or unplug it; then add --fenced "${sentence}"`);
  expect(told.output).toContain(`  backup       ${file}`);
  expect(movesIn(backupsOf(stage)).map(({ event }) => event)).not.toContain("fenced");
});

it("restores the orchestrator from the newest backup, with its share, after a kill too", {
  timeout: 600_000,
}, async () => {
  const { fresh, lab, state, stack } = stage;
  const fenced = await tool("restore", "prod", "--from", "prod-0", "--first-move", "--fenced", sentence, "--no-up");
  expect(fenced.exitCode, fenced.output).toBe(0);
  expect(movesIn(backupsOf(stage)).at(-1)).toMatchObject({ event: "fenced", details: { how: "sentence" } });
  const run = await stack.begin();
  await run.hears((text) => (/orchestrator: restoring the new host/.test(text) ? "heard" : undefined), "the restore");
  for (const end = Date.now() + 60_000; (await stageOf(fresh)) === "" && Date.now() < end; ) await sleep(50);
  await run.kill();
  await stack.cancel();
  const told = await expectSuccess(tool("restore", "prod", "--fenced", sentence));
  await waitForOrchestrator(lab, fresh, state.identity);
  const { doubles } = await lab.chain<SignersTruth>("GET", "/signers");
  expect(doubles).toEqual([]);
  expect(await contentOf(fresh)).toBe(content);
  expect(await readFile(join(fresh.root, "root/.orchestrator", share()), "utf8")).toBe(state.files[share()]?.text);
  expect(await onHost(fresh, "ls /var/lib/pillar-host | grep -e restored -e copy || true")).toBe("");
  for (const secret of state.secrets) expect(told.includes(secret)).toBe(false);
  const events = movesIn(backupsOf(stage)).map(({ event }) => event);
  expect(events.filter((event) => event === "starting" || event === "done")).toEqual(["starting", "done"]);
  expect((await stack.outputs<{ orchestrator: { side: string } }>()).orchestrator.side).toBe("new");
  expect(await readFile(stack.configFile, "utf8")).not.toContain("tar.age");
});

it("says that two may sign if the lost host is switched on again", async () => {
  await stage.old.start();
  const told = await expectFailure(stage.stack.up());
  expect(told).toContain("where by the journals none may");
});
