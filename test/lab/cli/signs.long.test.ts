import { setTimeout as sleep } from "node:timers/promises";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it, vi } from "vitest";
import { type ChainTruth, usualSporks } from "../../../lab/doubles/chain";
import { endPid, treeOf } from "../../../lab/hosts/processTree";
import { setUpOrchestrator } from "../../../lab/orchestrator";
import { onHost } from "../fixture";
import { limit, watchedStage } from "./watcher";

const restart = "0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart";
const spork = { id: "ab".repeat(32), name: "spork-next" };

/** Every other slot is the Pillar's, and they are short: what was missed shows once a tick is over. */
const quick = { momentumSeconds: 2, tickMomentums: 6, backgroundPillars: 1 };
const epoch = { short: 30, aDay: 86_400 };

/** As a move leaves it on the host that the signer came to. */
const journal = {
  ...{ version: 2, move: "pillar-host/prod/Anvil/1", direction: "forward", generation: 1 },
  ...{ side: "new", stage: "running", source: "SHA256:old", target: "SHA256:new" },
  other: { address: "192.0.2.9", hostKey: "ssh-ed25519 AAAA" },
  ...{ at: "2026-11-21T18:00:00Z", was: {}, identity: null, history: [] },
};

/** Moves the node's data to a small file system, and fills that with a file but for a MiB. */
const fillDisk = `
systemctl stop go-node
mkdir -p /run/small
mount -t tmpfs -o mode=700,size=$(($(du -sk /root/.znn | cut -f1) + 40960))k small /run/small
cp -a /root/.znn/. /run/small
mount --bind /run/small /root/.znn
head -c $((($(df -Pk /root/.znn | awk 'NR == 2 { print $4 }') - 1024) * 1024)) /dev/zero > /root/.znn/filler
systemctl start go-node`;

/** timedatectl tells of the kernel's clock, which the lab's hosts share with this machine. */
const clockIs = (kept: "yes" | "no") =>
  `printf '#!/bin/sh\necho ${kept}\n' > /usr/bin/timedatectl && chmod 755 /usr/bin/timedatectl`;

/** What a node counts is minutes old, and nothing at first after a start. */
const figures = `curl -sS -m 5 -H 'content-type: application/json' \
  -d '{"jsonrpc":"2.0","id":1,"method":"embedded.pillar.getByName","params":["Anvil"]}' http://127.0.0.1:35997`;

describe("the watch after the move, as a crontab runs it", { timeout: 900_000 }, () => {
  const { stage, notices, cron, heard, hears, toldSince, calm } = watchedStage();

  /** The node counts anew, and has its figures at hand. */
  const countAnew = async () => {
    await onHost(stage.host, "systemctl restart go-node");
    await vi.waitFor(
      async () => expect(await onHost(stage.host, figures)).toMatch(/"expectedMomentums": ?[1-9]/),
      limit,
    );
  };
  /** Each was told once, and once that it is over. */
  const onceEach = async (before: number, signs: readonly string[]) => {
    const all = (await notices()).slice(before).map(({ body }) => body.message);
    for (const text of signs) expect(all.join("\n").split(text), text).toHaveLength(3);
  };

  it("tells what is amiss at first, and is silent then", async () => {
    // Nothing is in front of a lab host.
    const appeared = await hears("appeared", ["35997/tcp, the node's RPC, is open to this machine"]);
    expect(appeared).toContain("Look: ./pillar-host status prod");
    expect(appeared).not.toMatch(/z1q|[a-z]{3} is not looked at/);
    await calm();
    const [first] = await notices();
    expect(first).toMatchObject({
      title: "{{.title}}",
      body: { title: expect.stringMatching(/^Pillar Anvil \(prod\): /) },
    });
  });

  it("tells each of these once when it appears: a crontab's line, a spork, a release, a node that is off", async () => {
    await onHost(stage.host, `{ crontab -l; echo '${restart}'; } | crontab -`);
    await stage.lab.chain("PATCH", "/sporks", { list: [...usualSporks, spork] });
    await stage.lab.releases("PUT", "/node-controller.zip", Buffer.from(zipSync({ "README.md": strToU8("hello") })));
    await hears("appeared", [
      "root's crontab restarts the node every hour",
      "spork spork-next (abababab…) is announced, and the node here, v0.0.8, does not have it",
      "controller: its address serves ANOTHER release now",
    ]);
    await calm();
    await onHost(stage.host, "systemctl stop go-node");
    const appeared = await hears("appeared", ["its node does not run"]);
    expect(appeared).not.toContain("crontab");
    await calm();
  });

  it("killed in the middle of a look loses nothing, repeats nothing, and keeps no later run from it", async () => {
    const before = (await notices()).length;
    const told = async () => (await notices()).slice(before).map(({ body }) => body.message);
    await onHost(stage.host, "systemctl start go-node");
    const run = cron();
    await sleep(2000);
    for (const pid of await treeOf(run.pid ?? 0)) endPid(pid);
    await run;
    await vi.waitFor(async () => {
      await heard();
      expect((await told()).join()).toContain("No more: its node does not run");
    }, limit);
    await calm();
    expect((await told()).join("\n").split("No more: its node does not run")).toHaveLength(2);
  });

  it("of a host that went dark tells that alone, and nothing of it is over before it is seen", async () => {
    await stage.host.stop({ powerCut: true });
    const { exitCode, appeared, over } = await heard();
    expect(exitCode).toBe(2);
    expect(appeared).toContain(`${stage.host.address} could not be looked at`);
    expect(over).toBe("");
    await calm();
    await stage.host.start();
    const told = await hears("over", [`No more: ${stage.host.address} could not be looked at`]);
    expect(told).not.toContain("crontab");
    await calm();
  });

  it("tells of each that it is over", async () => {
    await onHost(stage.host, "crontab -l | grep -vF service | crontab -");
    await stage.lab.chain("PATCH", "/sporks", { list: usualSporks });
    await hears("over", ["No more: root's crontab", "No more: spork spork-next"]);
    await calm();
    const all = (await notices()).map(({ body }) => body.message).join("\n");
    // Once each, in spite of the look that was cut off and the host that was away.
    for (const text of ["root's crontab restarts", "spork spork-next"]) expect(all.split(text), text).toHaveLength(3);
  });

  it("tells a disk that fills, a clock that nothing keeps, an orchestrator that stops: once, and once that it is over", async () => {
    await onHost(stage.host, clockIs("yes"));
    await setUpOrchestrator(stage.lab, stage.host);
    const { host } = stage;
    await host.run("cat > /var/lib/pillar-host/orchestrator.json", JSON.stringify(journal, undefined, 2));
    await calm();
    const before = (await notices()).length;
    await onHost(host, `${fillDisk}\n${clockIs("no")}\nsystemctl stop orchestrator`);
    const signs = [
      "its disk is nearly full",
      "nothing keeps its clock right",
      "its orchestrator: it should run here, and does not",
    ];
    await toldSince(before, signs);
    await calm();
    await onHost(host, `rm /root/.znn/filler\n${clockIs("yes")}\nsystemctl start orchestrator`);
    await toldSince(
      before,
      signs.map((text) => `No more: ${text}`),
    );
    await calm();
    await onceEach(before, signs);
  });

  it("tells an orchestrator that is silent: once, and once that it is over", async () => {
    const { lab, host } = stage;
    const before = (await notices()).length;
    const sign = "its orchestrator: it runs here, and does not answer";
    await lab.chain("PATCH", `/orchestrators/${host.name}`, { rpcDown: true });
    await toldSince(before, [sign]);
    await calm();
    await lab.chain("PATCH", `/orchestrators/${host.name}`, { rpcDown: false });
    await toldSince(before, [`No more: ${sign}`]);
    await calm();
    await onceEach(before, [sign]);
  });

  it("tells a node without peers, and the momentums that it misses: once, and once that it is over", async () => {
    const { lab, host } = stage;
    // It ends with its node, which is started anew here.
    await onHost(host, "systemctl disable -q --now orchestrator; rm /var/lib/pillar-host/orchestrator.json");
    // What was missed before, after the power cut too, is of an epoch that is over.
    await lab.chain("PATCH", "/truth", { ...quick, epochSeconds: epoch.short });
    await countAnew();
    await heard();
    await lab.chain("PATCH", "/truth", { epochSeconds: epoch.aDay });
    await countAnew();
    await calm();
    const before = (await notices()).length;
    const missed = async () => (await lab.chain<ChainTruth>("GET", "/truth")).missed.length;
    const missesMore = async () => {
      const until = (await missed()) + 10;
      await vi.waitFor(async () => expect(await missed()).toBeGreaterThan(until), limit);
    };
    const [peers, momentums] = ["its node has no peers", "Anvil has missed at least"];
    await lab.chain("PATCH", `/nodes/${host.name}`, { peers: 0 });
    await toldSince(before, [peers]);
    // Each count is of slots to come, too: what it expected is missed where the next one does not have it.
    await missesMore();
    await countAnew();
    await heard();
    await missesMore();
    await lab.chain("PATCH", `/nodes/${host.name}`, { peers: 8 });
    await countAnew();
    await toldSince(before, [momentums, `No more: ${peers}`]);
    await calm();
    await lab.chain("PATCH", "/truth", { momentumSeconds: 10, epochSeconds: epoch.short });
    await countAnew();
    await toldSince(before, [`No more: ${momentums}`]);
    await calm();
    await onceEach(before, [peers, momentums]);
  });
});
