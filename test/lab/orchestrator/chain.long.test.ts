import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { LabHost } from "../../../lab/lab.ts";
import type { LabStack, StackFile } from "../../../lab/stack/stack.ts";
import { movesIn, recordFile } from "../../recordIn.ts";
import { expectFailure, expectSuccess, linesOf, onHost, pastPackages, stackFile, testStack } from "../fixture.ts";
import { configureMove, moveStage, signers, stageOf } from "./moveStage.ts";

/** The files of a host about its orchestrator and its moves. */
const disk =
  "/var/lib/pillar-host/orchestrator.json /root/.orchestrator /etc/systemd/system/orchestrator.service /etc/systemd/system/orchestrator.service.moved /etc/systemd/system/multi-user.target.wants/orchestrator.service";

// Each test continues from the previous one.
describe("an orchestrator that moves from host to host", () => {
  const stage = moveStage({ setup: { extraFiles: { count: 20, bytes: 20_000 } } });
  let third: LabHost;
  let stack: LabStack;

  /** Returns one backup directory for both stacks, as one operator has it. */
  const backup = () => ({ directory: join(stage.lab.dir, "backups") });
  const second = (more: StackFile) => configureMove(stage, { backup: backup(), ...more });
  async function configureThird(more: StackFile): Promise<void> {
    const { lab, fresh } = stage;
    const file = stackFile(lab, third, {
      sync: { confirmations: 1, confirmSeconds: 0 },
      oldHost: { address: fresh.address, hostKey: fresh.hostKey },
      orchestrator: {
        release: lab.orchestratorRelease(),
        steadySeconds: 3,
        move: true,
        backup: backup(),
        ...more,
      },
    });
    await stack.configure(file, { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") });
  }
  async function succeeds(of: LabStack): Promise<void> {
    await expectSuccess(of.up());
  }
  /** Returns the hosts on which an orchestrator signs, and expects that there never were two. */
  async function signing(hosts: readonly LabHost[] = [stage.old, stage.fresh, third]): Promise<string[]> {
    expect((await signers(stage)).doubles).toEqual([]);
    const all = await Promise.all(
      hosts.map(async (host) =>
        (await onHost(host, "systemctl is-active orchestrator || true")) === "active" ? [host.name] : [],
      ),
    );
    return all.flat();
  }
  const generation = async (host: LabHost) =>
    (parse(await onHost(host, "cat /var/lib/pillar-host/orchestrator.json")) as { generation: number }).generation;

  beforeAll(async () => {
    const { lab } = stage;
    third = await lab.addHost("third", ensurePackagedImage);
    await pastPackages(lab, third);
    await lab.chain("PATCH", "/orchestrators/third", { syncPollMs: 500, stopMs: 300 });
    stack = await testStack(lab, third, {}, "third");
    await configureThird({});
    await succeeds(stack);
    await onHost(
      stage.old,
      `systemctl stop orchestrator; tar -cf /root/saved.tar $(ls -d ${disk} 2> /dev/null); systemctl start orchestrator`,
    );
  });
  afterAll(async () => {
    await stack?.endRuns();
  });

  it("moves to the second and third host, with a number that grows by one each time", async () => {
    await second({});
    await succeeds(stage.stack);
    expect(await signing()).toEqual(["fresh"]);
    await succeeds(stack);
    expect(await signing()).toEqual(["third"]);
    expect([await stageOf(stage.old), await stageOf(stage.fresh), await stageOf(third)]).toEqual([
      ...["moved", "moved", "running"],
    ]);
    expect([await generation(stage.old), await generation(stage.fresh), await generation(third)]).toEqual([1, 2, 2]);
  });

  it("is not moved again from the first host, restored to its first state, by an old stack", async () => {
    // The third host is off, because the earlier snapshot starts its orchestrator, and two would sign.
    await third.stop({ powerCut: true });
    await onHost(
      stage.old,
      `systemctl stop orchestrator; rm -rf ${disk}; tar -xpf /root/saved.tar -C /; systemctl daemon-reload; systemctl start orchestrator`,
    );
    await onHost(stage.fresh, "rm -rf /var/lib/pillar-host/orchestrator.* /root/.orchestrator*");
    stage.lab.recorder?.byHand();
    await second({ attempt: 2 });
    const output = await expectFailure(stage.stack.up());
    const said = linesOf(output);
    expect(said).toContain("does not know of this orchestrator's last start");
    expect(said).toContain("generation 2 (pillar-host/third/Anvil/1)");
    expect(said).toContain(
      "pulumi config set --path pillar-host:orchestrator.laterThanMove 2 -s prod && pulumi up -s prod",
    );
    expect(await signing([stage.old, stage.fresh])).toEqual(["old"]);
  });

  it("moves on by the operator's words, each valid for that start or that line only", async () => {
    for (const laterThanMove of [1, 3]) {
      await second({ attempt: 2, laterThanMove });
      const early = await expectFailure(stage.stack.up());
      expect(linesOf(early)).toContain("does not know of this orchestrator's last start");
    }
    const log = recordFile(backup().directory);
    const lines = readFileSync(log, "utf8").split("\n");
    const lost = lines.find((line) => line.includes('"event":"backup"')) ?? "";
    writeFileSync(log, lines.filter((line) => line !== lost).join("\n"));
    await second({ attempt: 2, laterThanMove: 2 });
    const [, lostLine] =
      /orchestrator\.lostLine ([0-9a-f]{12}) -s prod/.exec(await expectFailure(stage.stack.up())) ?? [];
    await second({ attempt: 2, laterThanMove: 2, lostLine });
    await succeeds(stage.stack);
    const words = movesIn(backup().directory).flatMap(({ event, details }) => (event === "confirmed" ? [details] : []));
    expect(words).toEqual([
      { key: "firstMove", value: "acknowledged" },
      { key: "lostLine", value: lostLine },
      { key: "laterThanMove", value: 2 },
    ]);
    expect(await signing([stage.old, stage.fresh])).toEqual(["fresh"]);
    expect(await generation(stage.fresh)).toBe(3);
  });
});
