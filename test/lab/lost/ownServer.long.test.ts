import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { computeFingerprint } from "../../../core/ssh/publicKey.ts";
import { LabStack } from "../../../lab/stack/stack.ts";
import { keepPrinted, noteSecret } from "../../../lab/testRun/printed.ts";
import { cli } from "../cli/fixture.ts";
import { expectFailure, expectSuccess, onHost } from "../fixture.ts";
import { moveConfig, moveStage, signersOf } from "../orchestrator/moveStage.ts";

// docs/troubleshooting.md, Lost laptop; for a server of a cloud: clouds/lostLaptop.ts.

describe("an own server with the orchestrator, state and event log in a bucket, and a lost laptop", () => {
  const stage = moveStage({ inBucket: true, hasPassphrase: true });
  let producerAddress: string;
  let before: Awaited<ReturnType<typeof trace>>;

  /**
   * Reads facts that may not change: both programs keep running, nothing is deployed again, the hourly restart stays
   * off.
   */
  async function trace() {
    return {
      programs: await onHost(stage.fresh, "systemctl show go-node orchestrator -p MainPID,ActiveState"),
      deploys: await onHost(stage.fresh, "ls /var/log/pillar-host/deploy-*.log"),
      crontab: await onHost(stage.fresh, "crontab -l 2> /dev/null || true"),
      old: await onHost(stage.old, "systemctl is-enabled orchestrator || true; ls /root/.orchestrator | sort"),
    };
  }

  /** Creates a stack from the remaining data, in its own checkout, on a machine without any data. */
  const elsewhere = async (folder: string) => {
    const backend = join(stage.lab.dir, "stacks", folder, "backend");
    await mkdir(backend, { recursive: true });
    const keys = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
    const env = Object.fromEntries(keys.map((key) => [key, String(stage.stack.env[key])]));
    return LabStack.create(
      stage.lab,
      "prod",
      moveConfig(stage),
      { "ssh.privateKey": await readFile(stage.lab.privateKeyFile, "utf8") },
      { folder, backend: { url: `file://${backend}`, env }, hasPassphrase: true },
    );
  };

  /** Removes the bucket's objects below a folder. */
  const lose = async (folder: string) => {
    const asked = async (...args: string[]) => {
      return (await stage.lab.run(["curl", "-sSf", ...args])).stdout;
    };
    const bucket = `${new URL(String(stage.store)).searchParams.get("endpoint")}/state`;
    const list = () => asked(`${bucket}?list-type=2&prefix=${encodeURIComponent(folder)}`);
    const keys = [...(await list()).matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = ""]) => key);
    expect(keys).not.toEqual([]);
    for (const key of keys) await asked("-X", "DELETE", `${bucket}/${key}`);
    expect(await list()).not.toContain("<Key>");
  };

  /** Expects a stack that manages the host unchanged, reports it correctly and does not delete it by mistake. */
  async function isManaged(stack: LabStack): Promise<void> {
    const up = await stack.up();
    expect(up.exitCode, up.output).toBe(0);
    expect(await trace()).toEqual(before);
    expect(await signersOf(stage)).toEqual(["new"]);
    const outputs = await stack.outputs<{ producerAddress?: string; orchestrator?: { side?: string } }>();
    expect([outputs.producerAddress, outputs.orchestrator?.side]).toEqual([producerAddress, "new"]);
    const status = await expectSuccess(cli(stack, ["status", "prod"]));
    expect(status).toMatch(/^stage +synced/m);
    expect(status).toMatch(/^orchestrator .*v0\.0\.9a/m);
    const destroyed = await expectFailure(stack.destroy());
    expect(destroyed).toContain("because it is protected");
    expect(await trace()).toEqual(before);
    // Without that protection, the guard decides by the remaining data.
    await stack.pulumi(["state", "unprotect", "--all", "--yes"]);
    const guarded = await expectFailure(stack.destroy());
    expect(guarded).toContain("can't be given up yet; nothing was changed");
    expect(await trace()).toEqual(before);
  }

  beforeAll(async () => {
    await expectSuccess(stage.stack.up());
    expect(await signersOf(stage)).toEqual(["new"]);
    ({ producerAddress } = await stage.stack.outputs<{ producerAddress: string }>());
    before = await trace();
  });

  it("the state is lost, the event log is there", async () => {
    await isManaged(await elsewhere("state-lost"));
  });

  it("the event log and the backups are lost, the state is there", async () => {
    await lose("pillar-host/");
    await rm(join(stage.stack.dir, "data"), { recursive: true });
    await isManaged(stage.stack);
  });

  it("both are lost", async () => {
    await lose("pillar-host/");
    // The memory of the event log is lost with it: it would report a missing line.
    await rm(join(stage.stack.dir, "data"), { recursive: true });
    await isManaged(await elsewhere("both-lost"));
  });

  it("the pass phrase is lost: a new stack takes the same name", async () => {
    const { stack, fresh, lab } = stage;
    const passphrase = randomBytes(12).toString("hex");
    noteSecret("a stack's pass phrase", passphrase);
    const env = { PULUMI_CONFIG_PASSPHRASE: passphrase };
    await rename(stack.configFile, `${stack.configFile}.old`);
    await lose(".pulumi/stacks/pillar-host/");
    const answers = {
      pillar: "Anvil",
      provider: "existing",
      address: fresh.address,
      "key-file": lab.privateKeyFile,
      fingerprint: computeFingerprint(fresh.hostKey),
      release: lab.releaseUrl(),
      reference: "http://192.0.2.8:35997",
    };
    const flags = Object.entries(answers).flatMap(([flag, value]) => [`--${flag}`, value]);
    await expectSuccess(cli(stack, ["init", "prod", "--no-node-release", ...flags], env));
    const typed = async (line: string) => {
      const ran = await lab.run(["bash", "-c", line], {
        cwd: stack.programDirectory,
        env: { ...stack.warmEnv, ...env },
        all: true,
        reject: false,
        stdin: "ignore",
      });
      keepPrinted(ran.all);
      expect(ran.exitCode, ran.all).toBe(0);
      // The engine's bucket client adds its own warnings.
      return ran.stdout;
    };
    // The new file has the old one's text, except values that need the lost pass phrase.
    const [old, own] = await Promise.all(
      [`${stack.configFile}.old`, stack.configFile].map(async (file) => parse(await readFile(file, "utf8"))),
    );
    const config = { ...old.config, "pillar-host:ssh": own.config["pillar-host:ssh"] };
    await writeFile(stack.configFile, stringify({ ...own, config }));
    await typed("pulumi up --yes --skip-preview --non-interactive -s prod");
    expect(await trace()).toEqual(before);
    expect(await signersOf(stage)).toEqual(["new"]);
    const outputs = JSON.parse(await typed("pulumi stack output --json -s prod"));
    expect([outputs.__run.producerAddress, outputs.__run.orchestrator?.side]).toEqual([producerAddress, "new"]);
  });
});
