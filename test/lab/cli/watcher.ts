import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { endProcess } from "../../../lab/hosts/machine.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import { keepPrinted } from "../../../lab/testRun/printed.ts";
import { expectSuccess, onHost, pastPackages, type Stage, staged } from "../fixture.ts";
import { codeBlocks } from "../readme.ts";
import { type LabWebhook, startWebhook } from "../webhook.ts";

const document = await readFile(join(import.meta.dirname, "../../../docs/unattended.md"), "utf8");
const typed = codeBlocks(document).find(({ text }) => text.endsWith("| crontab -\n"))?.text ?? "";

/** A busy or booting host needs several lookups: each test names what it waits for. */
export const limit = { timeout: 240_000, interval: 3000 };

/**
 * Creates a host whose Pillar produces, its stack with a webhook, and a user with the documented line in the crontab.
 */
export function watchedStage() {
  const stage = staged(undefined, pastPackages, ensurePackagedImage, { hasPassphrase: true });
  const watch = watching(stage);
  beforeAll(async () => {
    await expectSuccess(stage.stack.up());
    const producerAddress = await onHost(
      stage.host,
      `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`,
    );
    await stage.lab.chain("PATCH", "/pillars/Anvil", { producerAddress });
    await watch.begin();
  });
  return { stage, ...watch };
}

/** Starts a webhook of an existing stack, and adds a user with the documented line in the crontab. */
export function watching(stage: Pick<Stage, "lab" | "stack">) {
  let webhook: LabWebhook;
  let home: string;
  let command: string;

  const begin = async () => {
    webhook = await startWebhook(stage.lab);
    await stage.stack.pulumi(["config", "set", "--secret", "pillar-host:notify"], { input: webhook.address });
    const heartbeat = ["config", "set", "--secret", "--path", "pillar-host:heartbeat"];
    await stage.stack.pulumi(heartbeat, { input: `${webhook.address}/beat` });
    // A user of whom cron knows no more than the home.
    home = join(stage.lab.dir, "watcher");
    await mkdir(join(home, ".pulumi/bin"), { recursive: true });
    await mkdir(join(home, ".config/pillar-host"), { recursive: true });
    await symlink(stage.stack.programDirectory, join(home, "pillar-host"));
    await symlink(stage.stack.toolchain.pulumi, join(home, ".pulumi/bin/pulumi"));
    await symlink(process.execPath, join(home, ".pulumi/bin/node"));
    await writeFile(join(home, ".config/pillar-host/passphrase"), stage.stack.passphrase);
    const shell = { HOME: home, PATH: `${home}/.pulumi/bin:/usr/bin:/bin` };
    const shown = `crontab() { [ "$1" != - ] || cat; }\n${typed}`;
    const { stdout } = await execa("bash", ["-c", shown], {
      cwd: join(home, "pillar-host"),
      env: shell,
      extendEnv: false,
    });
    [, command = ""] = /^\*\/10 \* \* \* \* (.*)$/.exec(stdout) ?? [];
  };
  afterAll(async () => {
    if (webhook) await endProcess(webhook.process);
  });

  const notices = () => webhook.notices();
  const beats = () => webhook.beats();
  const cron = () => {
    const { PULUMI_BACKEND_URL = "", PULUMI_HOME = "", VAULT_ADDR = "" } = stage.stack.env;
    const own = { PULUMI_BACKEND_URL, PULUMI_HOME, VAULT_ADDR };
    const environment = { HOME: home, PATH: "/usr/bin:/bin", SHELL: "/bin/sh", ...own };
    const set = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    return stage.lab.run(["env", "-i", ...set, "/bin/sh", "-c", command], {
      reject: false,
      stdin: "ignore",
      cleanup: true,
    });
  };
  /** Returns the notifications of a run of the crontab's line. */
  const heard = async () => {
    const before = (await notices()).length;
    const { exitCode } = await cron();
    const all = await readFile(join(home, "pillar-host.log"), "utf8");
    keepPrinted(all);
    const news = (await notices()).slice(before);
    const of = (event: string) =>
      news.flatMap(({ body }) => (body.event === event ? body.message.split("\n") : [])).join("\n");
    return { exitCode, all, count: news.length, appeared: of("sign"), over: of("signOver") };
  };
  /** Waits until all these were notified since then, in any runs. @returns all notifications */
  const toldSince = (before: number, wanted: readonly string[]) =>
    vi.waitFor(async () => {
      await heard();
      const all = (await notices()).slice(before).map(({ body }) => body.message);
      for (const text of wanted) expect(all.join("\n")).toContain(text);
      return all.join("\n");
    }, limit);
  /** Waits for a run without a notification: a lookup on a busy machine may have raised a false alert. */
  const calm = () => vi.waitFor(async () => expect((await heard()).count).toBe(0), limit);

  /** Sets the times of the figures that the watch remembers back, as if they were of hours ago. */
  const letHoursPass = async (hours: number) => {
    const file = join(home, ".local/share/pillar-host/signs", `Anvil@${stage.stack.name}.json`);
    const memory = JSON.parse(await readFile(file, "utf8")) as { figures: { at: number }[] };
    const figures = memory.figures.map((each) => ({ ...each, at: each.at - hours * 3_600_000 }));
    await writeFile(file, JSON.stringify({ ...memory, figures }));
  };

  return { begin, notices, beats, cron, heard, toldSince, calm, letHoursPass };
}
