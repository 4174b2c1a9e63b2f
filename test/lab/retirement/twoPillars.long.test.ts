import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { LabHost } from "../../../lab/lab.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";
import { collectLastRewards } from "../../../lab/operator/wallet.ts";
import { LabStack, type StackFile } from "../../../lab/stack/stack.ts";
import { journeyIn } from "../../recordIn.ts";
import { expectFailure, expectSuccess, linesOf, onHost } from "../fixture.ts";
import { elect, oldFile, pillar, retirementStage } from "./stage.ts";

// Two Pillars of one operator, each with a stack of the same name, and with one place for the backups of both.

const stage = retirementStage();
const other = "Bolt";
const dropIns = "/etc/systemd/system/go-node.service.d";
let host: LabHost;
let bolt: LabStack;
let key: string;

const backups = () => join(stage.lab.dir, "backups");
const shared = () => ({ orchestrator: { backup: { directory: backups() } } });
const boltFile = (changes: StackFile = {}): StackFile =>
  oldFile(stage, {
    pillar: { name: other },
    host: { provider: "existing", address: host.address, hostKey: host.hostKey },
    ...shared(),
    ...changes,
  });
const secrets = () => ({ "ssh.privateKey": key });
const configureAnvil = (changes: StackFile) =>
  stage.stack.configure(oldFile(stage, { ...shared(), ...changes }), secrets());
const isActive = (of: LabHost) => onHost(of, "systemctl is-active go-node || true");

beforeAll(async () => {
  key = readFileSync(stage.lab.privateKeyFile, "utf8");
  host = await stage.lab.addHost("bolt", ensurePackagedImage);
  const { address } = await setUpSyncedNode(stage.lab, host);
  await stage.lab.chain("PATCH", `/pillars/${other}`, { producerAddress: address });
  bolt = await LabStack.create(stage.lab, "prod", boltFile(), secrets(), { folder: "bolt" });
  await configureAnvil({});
  const ups = await Promise.all([stage.stack.up(), bolt.up()]);
  for (const { exitCode, output } of ups) expect(exitCode, output).toBe(0);
  await elect(stage, stage.addresses.fresh);
  // It is paid nothing from now on.
  const shares = { giveMomentumRewardPercentage: 100, giveDelegateRewardPercentage: 100 };
  await stage.lab.chain("PATCH", `/pillars/${pillar}`, shares);
});

it("refuses a host of the other Pillar, even if the stack names it", async () => {
  // The file of one Pillar with the other one's host, as after a copy that was not finished.
  await bolt.configure(boltFile({ host: { ...(oldFile(stage).host as object) }, lifecycle: "retiring" }), secrets());
  const output = await expectFailure(bolt.up());
  expect(linesOf(output)).toContain("the registered one of Bolt");
  expect([await isActive(host), await isActive(stage.old)]).toEqual(["active", "active"]);
  await bolt.configure(boltFile(), secrets());
});

it("destroys the host whose successor produces, and keeps the other with the same successor", async () => {
  await Promise.all([
    configureAnvil({ lifecycle: "retiring" }),
    bolt.configure(boltFile({ lifecycle: "retiring" }), secrets()),
  ]);
  const [anvils, bolts] = await Promise.all([stage.stack.up(), bolt.up()]);
  expect(anvils.exitCode, anvils.output).toBe(0);
  expect(bolts.exitCode).not.toBe(0);
  expect(linesOf(bolts.output)).toMatch(/the host of stack prod for Bolt, can't be shut down yet; nothing was changed/);
  expect([await isActive(stage.old), await isActive(host)]).toEqual(["inactive", "active"]);
  // A stack that stood its node up itself leaves this file.
  await onHost(stage.old, `mkdir ${dropIns} && echo '[Service]' > ${dropIns}/90-pillar-host.conf`);
  await collectLastRewards(stage.lab, pillar);
  await expectSuccess(stage.stack.destroy(["--skip-preview"]));
});

it("leaves the destroyed host with its keys and the node's unit as before", async () => {
  expect(existsSync(join(stage.old.root, dropIns))).toBe(false);
  const left = readdirSync(join(stage.old.root, "root/.znn"));
  expect(left).toEqual(expect.arrayContaining(["wallet", "config.json"]));
});

it("each has its own event log and backups in the same directory", async () => {
  const events = (of: string) => new Set(journeyIn(backups(), of).map(({ event }) => event));
  expect(events(pillar)).toEqual(new Set(["host", "recorded", "shuttingDown", "shutDown", "rewards", "released"]));
  expect(events(other)).toEqual(new Set(["host", "recorded"]));
  const [given] = journeyIn(backups(), pillar).filter(({ event }) => event === "rewards");
  expect(given?.details).toMatchObject({
    evidence: expect.arrayContaining([
      expect.stringMatching(/all rewards go to those who delegate to the Pillar, says/),
    ]),
  });
  const sealed = readdirSync(backups()).filter((name) => name.endsWith(".tar.age"));
  expect(sealed).toEqual([expect.stringMatching(/-Anvil-retired-/)]);
  expect(existsSync(join(backups(), "record.jsonl"))).toBe(true);
});
