import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { endProcess } from "../../lab/hosts/machine.ts";
import { ensurePackagedImage } from "../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../lab/lab.ts";
import { setUpSyncedNode } from "../../lab/oldHost/syncedNode.ts";
import { startS3 } from "../../lab/stack/backends.ts";
import { LabStack } from "../../lab/stack/stack.ts";
import { equip, type Pasted, pasteInto } from "./blankMachine.ts";
import { expectSuccess, onHost, testLab } from "./fixture.ts";
import { codeBlocks } from "./readme.ts";
import { type LabWebhook, startWebhook } from "./webhook.ts";

const document = await readFile(join(import.meta.dirname, "../../docs/unattended.md"), "utf8");
const blocks = codeBlocks(document).flatMap(({ heading, language, text }) =>
  heading === "Monitoring" && language === "sh" ? [text.trim()] : [],
);
const [mute = "", addresses = "", install = "", bring = "", passphrase = "", add = "", runNow = "", ...more] = blocks;
/** cron looks at its crontabs once a minute. */
const limit = { timeout: 240_000, interval: 500 };
const problem = "the node does not run";

describe("docs/unattended.md, Monitoring, typed on a blank machine with cron", () => {
  let lab: Lab;
  let host: LabHost;
  let monitor: LabHost;
  let stack: LabStack;
  let bucket: Awaited<ReturnType<typeof startS3>>;
  let webhook: LabWebhook;
  let home: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("host1", ensurePackagedImage);
    monitor = await lab.addHost("monitor");
    const [{ address: producerAddress }] = await Promise.all([setUpSyncedNode(lab, host), equip(lab, monitor, "ada")]);
    await lab.chain("PATCH", "/pillars/Anvil", { producerAddress });
    bucket = await startS3(lab);
    webhook = await startWebhook(lab);
    home = join(lab.dir, "home");
    await mkdir(join(home, ".ssh"), { recursive: true, mode: 0o700 });
    await cp(lab.privateKeyFile, join(home, ".ssh/id_ed25519"));
    await writeOwnSsh();
    const file = {
      pillar: { name: "Anvil" },
      lifecycle: "adopted",
      host: { provider: "existing", address: host.address, hostKey: host.hostKey },
      ssh: { privateKeyFile: "~/.ssh/id_ed25519" },
      store: bucket.url,
    };
    stack = await LabStack.create(lab, "prod-2", file, {}, { backend: bucket, hasPassphrase: true });
    const { PULUMI_STACK: _selected, ...own } = stack.warmEnv;
    env = { ...process.env, ...own, HOME: home, PATH: `${home}/bin:${own.PATH}` };
    const up = [stack.toolchain.pulumi, "up", "--yes", "--skip-preview", "--non-interactive", "-s", "prod-2"];
    const ran = await lab.run(up, { cwd: stack.programDirectory, env, all: true, reject: false });
    await expectSuccess({ exitCode: ran.exitCode, output: String(ran.all) });
  });
  afterAll(async () => {
    if (webhook) await endProcess(webhook.process);
    await stack?.endRuns();
    await lab?.down();
  });

  /** Lets the operator's ssh and scp find the lab's key and known hosts: they ignore HOME. */
  async function writeOwnSsh(): Promise<void> {
    const settings = [`IdentityFile ${lab.privateKeyFile}`, `UserKnownHostsFile ${join(lab.dir, "known_hosts")}`];
    await writeFile(join(home, "ssh_config"), `${settings.join("\n")}\n`);
    await mkdir(join(home, "bin"));
    for (const name of ["ssh", "scp"])
      await writeFile(join(home, "bin", name), `#!/bin/sh\nexec /usr/bin/${name} -F ${home}/ssh_config "$@"\n`, {
        mode: 0o755,
      });
  }

  const withOwnNames = (text: string) =>
    text
      .replaceAll("192.0.2.20", monitor.address)
      .replaceAll("203.0.113.7", host.address)
      .replaceAll(/'s3:[^']*'/g, `'${bucket.url}'`)
      .replaceAll("*/10 ", "* ");
  const here = (text: string, ...answers: NonNullable<Pasted["answers"]>) =>
    pasteInto(lab.atOperator(["bash", "--norc", "-i"]), [{ text: withOwnNames(text), answers }], {
      cwd: stack.programDirectory,
      env,
    });
  const there = (...texts: (string | Pasted)[]) =>
    pasteInto(
      lab.atOperator([join(home, "bin/ssh"), "-tt", `ada@${monitor.address}`]),
      texts.map((each) => (typeof each === "string" ? { text: withOwnNames(each) } : each)),
    );
  const said = async () => (await webhook.notices()).map(({ body }) => body.message).join("\n");
  const count = async (text: string) => (await said()).split(text).length - 1;

  it("has these commands only", () => {
    expect(more).toEqual([]);
    expect(mute).toMatch(/--mute /);
  });

  it("tries the webhook where the operator runs pulumi up", async () => {
    // Pulumi draws its question once more at its end.
    const [first, next] = [/value: /, /\nvalue: [\s\S]*value: /];
    await here(addresses, [first, `${webhook.address}\r`], [next, `${webhook.address}/beat\r`]);
    expect((await webhook.notices()).map(({ body }) => body.event)).toEqual(["test"]);
  });

  it("looks at once, in cron's environment, and then by cron", async () => {
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: key } = bucket.env;
    const credentials = `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${key}\n`;
    const own = "umask 077 && mkdir ~ada/.aws && cat > ~ada/.aws/credentials && chown -R ada: ~ada/.aws";
    await onHost(monitor, own, credentials);
    const begun = Date.now();
    const seconds = () => Math.round((Date.now() - begun) / 1000);
    await there(install);
    await here(bring);
    const shown = await there(
      { text: passphrase, answers: [[/^Pass phrase: /m, `${stack.passphrase}\r`]] },
      "cd pillar-host",
      add,
      runNow,
    );
    expect(shown).toMatch(new RegExp(`^\\w+ +prod-2 +Anvil +${host.address} +adopted, node synced`, "m"));
    const byHand = seconds();
    const beats = await webhook.beats();
    expect(beats[0]).toBe(`/${webhook.topic}/beat`);
    expect(await count(problem)).toBe(0);
    expect(await onHost(monitor, "stat -c %a /home/ada/.config/pillar-host/passphrase")).toBe("600");
    await vi.waitFor(async () => expect((await webhook.beats()).length).toBeGreaterThan(beats.length), limit);
    // Between two looks: one that sees the node end says that it does not answer.
    await onHost(host, "systemctl stop go-node");
    console.log(`from the blank machine to its first look: ${byHand} s; to the first one by cron: ${seconds()} s`);
  });

  it("notifies once of the problem that cron's look finds, and once of its end", async () => {
    await vi.waitFor(async () => expect(await count(problem)).toBe(1), limit);
    const asked = { text: mute, answers: [[/Pass phrase of stack prod-2:/, `${stack.passphrase}\r`]] as const };
    const shown = await there(runNow, "cd pillar-host", asked);
    expect(shown).toMatch(new RegExp(`No more reminders of:\n(- .*\n)*- ${problem}\n`));
    expect(await count(problem)).toBe(1);
    await onHost(host, "systemctl start go-node");
    await vi.waitFor(async () => expect(await said()).toContain(`Solved: ${problem}`), limit);
    expect(await count(problem)).toBe(2);
  });
});
