import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { beforeAll, describe, expect, it } from "vitest";
import { journalVersion } from "../../../core/orchestrator/rules/journal.ts";
import { usualSporks } from "../../../lab/doubles/chain/index.ts";
import { addRule } from "../../../lab/faults/networkFaults.ts";
import { hostNamespace } from "../../../lab/hosts/network.ts";
import { endPid, treeOf } from "../../../lab/hosts/processTree.ts";
import { setUpOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { onHost } from "../fixture.ts";
import { watchedStage } from "./watcher.ts";

const restart = "0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart";
const ports = "35997/tcp, the node's RPC, is open to this machine";
const crontab = "root's crontab restarts the node every hour";
const spork = { id: "ab".repeat(32), name: "spork-next" };

/** State of the host to which the orchestrator moved. */
const journal = {
  version: journalVersion,
  move: "pillar-host/prod/Anvil/1",
  direction: "forward",
  generation: 1,
  side: "new",
  stage: "running",
  source: "SHA256:old",
  target: "SHA256:new",
  other: { address: "192.0.2.9", hostKey: "ssh-ed25519 AAAA" },
  at: "2026-11-21T18:00:00Z",
  identity: null,
  history: [],
};

/** Moves the node's data to a small file system, and fills it up to a MiB. */
const fillDisk = `
systemctl stop go-node
mkdir -p /run/small
mount -t tmpfs -o mode=700,size=$(($(du -sk /root/.znn | cut -f1) + 40960))k small /run/small
cp -a /root/.znn/. /run/small
mount --bind /run/small /root/.znn
head -c $((($(df -Pk /root/.znn | awk 'NR == 2 { print $4 }') - 1024) * 1024)) /dev/zero > /root/.znn/filler
systemctl start go-node`;

const killed = "2026-11-21T18:00:00+0000 host1 kernel: Out of memory: Killed process 77 (go-node)";
/** Adds a line to the kernel's log, which the lab's hosts share with this machine. */
const killedForMemory = `mv /usr/bin/journalctl /usr/bin/journalctl.own
printf '#!/bin/sh\ncase "$*" in *"-k "*) echo "${killed}" ;; *) exec journalctl.own "$@" ;; esac\n' > /usr/bin/journalctl
chmod 755 /usr/bin/journalctl`;

/** Replaces timedatectl, because the lab's hosts share the kernel's clock with this machine. */
const clockIs = (kept: "yes" | "no") =>
  `printf '#!/bin/sh\necho ${kept}\n' > /usr/bin/timedatectl && chmod 755 /usr/bin/timedatectl`;

describe("status --all --notify after the move, as cron runs it", { timeout: 900_000 }, () => {
  const { stage, notices, beats, cron, heard, toldSince, calm, letHoursPass } = watchedStage();
  const told = async (before = 0) => (await notices()).slice(before).map(({ body }) => body.message);
  const count = async () => (await notices()).length;

  beforeAll(async () => {
    await onHost(stage.host, clockIs("yes"));
    await setUpOrchestrator(stage.lab, stage.host);
    await stage.host.run("cat > /var/lib/pillar-host/orchestrator.json", JSON.stringify(journal, undefined, 2));
  });

  /** Expects one notification of each alert, and one of its end. */
  const onceEach = async (before: number, signs: readonly string[]) => {
    const all = (await told(before)).join("\n");
    for (const text of signs) expect(all.split(text), text).toHaveLength(3);
  };
  const over = (signs: readonly string[]) => signs.map((text) => `Solved: ${text}`);

  it("notifies of each problem once", async () => {
    // A lab host has no firewall in front of it.
    const appeared = await toldSince(0, [ports]);
    expect(appeared).toContain("Details: ./pillar-host status prod");
    expect(appeared).not.toMatch(/z1q/);
    await calm();
    const [first] = await notices();
    expect(first).toMatchObject({
      title: "{{.title}}",
      body: { title: expect.stringMatching(/^Pillar Anvil \(prod\): /) },
    });
  });

  it("notifies when a problem appears and when it is solved", async () => {
    const { lab, host } = stage;
    const before = await count();
    await lab.chain("PATCH", "/sporks", { list: [...usualSporks, spork] });
    await lab.chain("PATCH", `/nodes/${host.name}`, { peers: 0 });
    await onHost(host, `{ crontab -l; echo '${restart}'; } | crontab -`);
    await onHost(
      host,
      `${fillDisk}\n${clockIs("no")}\n${killedForMemory}\nsystemctl disable -q go-node\nsystemctl stop orchestrator`,
    );
    const signs = [
      "spork spork-next (abababab…) is announced, and the node here, v0.0.8, does not support it",
      "the disk is nearly full",
      "the disk will be full about 20",
      `the kernel killed a process for lack of memory: ${killed}`,
      "no service synchronizes the host's clock",
      "the node has no peers",
      "no boot of the host starts the node",
      "the orchestrator: it should run here, but does not",
    ];
    // This one lasts until the host was dark.
    await toldSince(before, [...signs, crontab]);
    await calm();

    await lab.chain("PATCH", "/sporks", { list: usualSporks });
    await lab.chain("PATCH", `/nodes/${host.name}`, { peers: 8 });
    await onHost(host, `rm /root/.znn/filler; umount -l /root/.znn\n${clockIs("yes")}\nsystemctl enable -q go-node`);
    await onHost(host, "mv /usr/bin/journalctl.own /usr/bin/journalctl");
    const namespace = hostNamespace(lab.name, host.name);
    for (const port of ["35997", "35998", "55000"])
      await execa("ip", addRule({ namespace, priority: "7790" }, ["sport", port, "blackhole"]));
    await lab.chain("PATCH", `/orchestrators/${host.name}`, { rpcDown: true });
    await onHost(host, "systemctl start orchestrator");
    const silent = "the orchestrator: it runs here, but does not answer";
    await toldSince(before, [...over([...signs, ports]), silent]);
    await calm();
    await lab.chain("PATCH", `/orchestrators/${host.name}`, { rpcDown: false });
    await toldSince(before, over([silent]));
    await calm();
    await onceEach(before, [...signs, silent]);
    await onceEach(0, [ports]);
  });

  it("notifies of a restart after a failure and of too many open files, and of their ends", async () => {
    const { host } = stage;
    const before = await count();
    const pid = () => onHost(host, "systemctl show -p MainPID --value go-node");
    const first = await pid();
    await onHost(host, "systemctl kill -s KILL go-node");
    await expect.poll(pid).not.toMatch(new RegExp(`^(0|${first})$`));
    // Its first files are those of a start.
    await toldSince(before, ["go-node failed and was restarted once since 20"]);
    await onHost(host, `prlimit --pid ${await pid()} --nofile=$(($(ls /proc/${await pid()}/fd | wc -l) * 6 / 5)):`);
    await toldSince(before, ["a restart frees them, LimitNOFILE in its unit allows more"]);
    await calm();
    const hard = `$(prlimit --pid ${await pid()} --nofile -o HARD --noheadings | tr -d ' ')`;
    await onHost(host, `prlimit --pid ${await pid()} --nofile=${hard}:`);
    await letHoursPass(3);
    await toldSince(before, over(["go-node failed and was restarted once since 20", "go-node has "]));
    await calm();
    await onceEach(before, ["go-node failed and was restarted once since 20", "go-node has "]);
  });

  it("a run killed in a lookup loses and repeats nothing, and blocks no later run", async () => {
    const sign = "the node does not run";
    // It ends with its node.
    await onHost(stage.host, "systemctl disable -q --now orchestrator; rm /var/lib/pillar-host/orchestrator.json");
    await onHost(stage.host, "systemctl stop go-node");
    const before = await count();
    await toldSince(before, [sign]);
    await calm();
    await onHost(stage.host, "systemctl start go-node");
    const run = cron();
    await sleep(2000);
    for (const pid of await treeOf(run.pid ?? 0)) endPid(pid);
    const calls = (await beats()).length;
    await run;
    // A killed look calls no heartbeat, and the next one does.
    expect((await beats()).length).toBe(calls);
    await toldSince(before, over([sign]));
    expect((await beats()).length).toBeGreaterThan(calls);
    await calm();
    await onceEach(before, [sign]);
  });

  it("notifies of a host that refuses the login, and calls the heartbeat; its problems stay open", async () => {
    const refused = "refuses the login";
    const before = await count();
    const calls = (await beats()).length;
    await onHost(stage.host, "mv /root/.ssh/authorized_keys /root/.ssh/aside");
    const { appeared, over: gone } = await heard();
    expect([appeared, gone]).toEqual([expect.stringContaining(refused), ""]);
    expect((await beats()).length).toBeGreaterThan(calls);
    await calm();
    await onHost(stage.host, "mv /root/.ssh/aside /root/.ssh/authorized_keys");
    await toldSince(before, [refused, `Solved: root@${stage.host.address}`]);
    await onceEach(before, [refused]);
  });

  it("notifies only that a silent host is silent; its problems stay open", async () => {
    const dark = `${stage.host.address} could not be reached`;
    const before = await count();
    await stage.host.stop({ powerCut: true });
    const { exitCode, appeared, over: gone } = await heard();
    expect(exitCode).toBe(2);
    expect(appeared).toContain(dark);
    expect(gone).toBe("");
    await calm();
    await stage.host.start();
    expect(await toldSince(before, over([dark]))).not.toContain("Solved: root's crontab");
    await onHost(stage.host, "crontab -l | grep -vF service | crontab -");
    await toldSince(before, over([crontab]));
    await onceEach(before, [dark]);
    // In spite of the look that was cut off, and of the host that was away.
    await onceEach(0, [crontab]);
  });
});
