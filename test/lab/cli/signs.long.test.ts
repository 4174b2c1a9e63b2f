import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { usualSporks } from "../../../lab/doubles/chain";
import { endProcess } from "../../../lab/hosts/machine";
import { endPid, treeOf } from "../../../lab/hosts/processTree";
import { keepPrinted } from "../../../lab/testRun/printed";
import { onHost, pastPackages, staged } from "../fixture";
import { codeBlocks } from "../readme";
import { type LabWebhook, startWebhook } from "../webhook";

const document = await readFile(join(import.meta.dirname, "../../../docs/unattended.md"), "utf8");
const line =
  codeBlocks(document)
    .find(({ language }) => language === "cron")
    ?.text.trim() ?? "";
const restart = "0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart";
const spork = { id: "ab".repeat(32), name: "spork-next" };

/** A host that is busy, or boots, is looked at again: each look of a test says what it waits for. */
const limit = { timeout: 240_000, interval: 3000 };

describe("the watch after the move, as a crontab runs it", { timeout: 600_000 }, () => {
  const stage = staged(undefined, pastPackages);
  let webhook: LabWebhook;
  let home: string;

  beforeAll(async () => {
    webhook = await startWebhook(stage.lab);
    await stage.stack.pulumi(["config", "set", "--secret", "pillar-host:notify"], { input: webhook.address });
    const up = await stage.stack.up();
    expect(up.exitCode, up.output).toBe(0);
    const producerAddress = await onHost(
      stage.host,
      `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`,
    );
    await stage.lab.chain("PATCH", "/pillars/Anvil", { producerAddress });
    // A user of whom cron knows no more than the home.
    home = join(stage.lab.dir, "watcher");
    await mkdir(join(home, ".pulumi/bin"), { recursive: true });
    await mkdir(join(home, ".config/pillar-host"), { recursive: true });
    await symlink(stage.stack.programDirectory, join(home, "pillar-host"));
    await symlink(stage.stack.toolchain.pulumi, join(home, ".pulumi/bin/pulumi"));
    await symlink(process.execPath, join(home, ".pulumi/bin/node"));
    await writeFile(join(home, ".config/pillar-host/passphrase"), stage.stack.passphrase);
  });
  afterAll(async () => {
    if (webhook) await endProcess(webhook.process);
  });

  const cron = () => {
    const { PULUMI_BACKEND_URL = "", PULUMI_HOME = "" } = stage.stack.env;
    const environment = { HOME: home, PATH: "/usr/bin:/bin", SHELL: "/bin/sh", PULUMI_BACKEND_URL, PULUMI_HOME };
    const set = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const [, command = ""] = /^\*\/10 \* \* \* \* (.*)$/.exec(line) ?? [];
    const [first = "", ...args] = stage.lab.atOperator(["env", "-i", ...set, "/bin/sh", "-c", command]);
    return execa(first, args, { all: true, reject: false, stdin: "ignore", cleanup: true });
  };
  /** What the webhook heard in a run of the crontab's line. */
  const heard = async () => {
    const before = (await webhook.notices()).length;
    const { exitCode, all } = await cron();
    keepPrinted(String(all));
    const notices = (await webhook.notices()).slice(before);
    const of = (event: string) =>
      notices.flatMap(({ body }) => (body.event === event ? body.message.split("\n") : [])).join("\n");
    return { exitCode, all: String(all), count: notices.length, appeared: of("sign"), over: of("signOver") };
  };
  /** Until a run has heard all of these: what a look of a busy machine missed, or saw too much, the next ones tell. */
  const hears = (what: "appeared" | "over", wanted: readonly string[]) => {
    const all: string[] = [];
    return vi.waitFor(async () => {
      all.push((await heard())[what]);
      for (const text of wanted) expect(all.join("\n")).toContain(text);
      return all.join("\n");
    }, limit);
  };
  /** Until two runs after each other had nothing to tell. */
  const calm = () =>
    vi.waitFor(async () => {
      expect((await heard()).count).toBe(0);
      expect((await heard()).count).toBe(0);
    }, limit);

  it("tells what is amiss at first, and is silent then", async () => {
    // Nothing is in front of a lab host.
    const appeared = await hears("appeared", ["35997/tcp, the node's RPC, is open to this machine"]);
    expect(appeared).toContain("Look: ./pillar-host status prod");
    expect(appeared).not.toMatch(/z1q|[a-z]{3} is not looked at/);
    await calm();
    const [first] = await webhook.notices();
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
    const before = (await webhook.notices()).length;
    const told = async () => (await webhook.notices()).slice(before).map(({ body }) => body.message);
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
    const all = (await webhook.notices()).map(({ body }) => body.message).join("\n");
    // Once each, in spite of the look that was cut off and the host that was away.
    for (const text of ["root's crontab restarts", "spork spork-next"]) expect(all.split(text), text).toHaveLength(3);
  });
});
