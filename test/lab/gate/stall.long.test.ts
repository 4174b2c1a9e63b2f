import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endProcess } from "../../../lab/hosts/machine.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { LabStack } from "../../../lab/stack/stack.ts";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import { expectSuccess, linesOf, onHost, pastPackages, stackFile, testLab } from "../fixture.ts";
import { type LabWebhook, startWebhook } from "../webhook.ts";

keepEngineLogs();

describe("a stall", () => {
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;
  let webhook: LabWebhook;
  let running: Promise<{ exitCode: number; output: string }>;
  const until = async (what: string, happened: () => Promise<boolean>) => {
    for (const end = Date.now() + 300_000; !(await happened()); ) {
      if (Date.now() > end) throw new Error(`${what} did not happen`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  };

  beforeAll(async () => {
    lab = await testLab();
    await lab.chain("PATCH", "/truth", { height: 20_000, defaults: { behind: 1000, rate: 5 } });
    host = await lab.addHost("host1", ensurePackagedImage);
    await pastPackages(lab, host);
    webhook = await startWebhook(lab);
    const secrets = {
      "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8"),
      notify: webhook.address,
    };
    stack = await LabStack.create(lab, "prod", stackFile(lab, host, { sync: { stallMinutes: 0.1 } }), secrets);
    await lab.chain("PATCH", "/nodes/host1", { stall: true });
    running = stack.up();
    await until("the stall", async () => (await webhook.notices()).length === 1);
    await lab.chain("PATCH", "/nodes/host1", { stall: false, rate: 2000 });
  });
  afterAll(async () => {
    await running?.catch(() => undefined);
    if (webhook) await endProcess(webhook.process);
    await lab?.down();
  });

  it("shows what to check on the host, and its end", async () => {
    const output = await expectSuccess(running);
    expect(output).not.toContain("error:");
    // The gate's own row, which the engine writes as a line without a terminal.
    expect(output).toMatch(/sync:Gate node-sync creating \(\d+s\) \d\d %/);
    const lines = linesOf(output);
    expect(lines).toMatch(
      new RegExp(
        [
          `sync: stalled: the height has been \\d+ for 6 s\\. The wait goes on\\. On ${host.address}:`,
          "service: go-node is active \\(running\\) since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC",
          "peers: \\d+",
          "disk: [\\d.]+ of [\\d.]+ GB free at /root/\\.znn.*",
          "memory: \\d+ of \\d+ MiB available, .*",
          "load: .* on \\d+ cores",
          "clock: .* UTC, .*",
          "(log: .*\n){3,5}sync: ",
        ].join("\n"),
      ),
    );
    expect(lines).toMatch(/sync: the stall is over, height \d+/);
    expect(lines.indexOf("the stall is over")).toBeLessThan(lines.indexOf("sync: synced at height"));
  });

  it("notifies a webhook of the stall, its end and the sync, in one form for all services", async () => {
    await running;
    const all = await webhook.notices();
    expect(all.map(({ body }) => body.event)).toEqual(["stalled", "over", "synced"]);
    expect(all[0]).toEqual({
      title: "{{.title}}",
      message: "{{.message}}",
      template: "yes",
      body: {
        event: "stalled",
        title: "Pillar Anvil (prod): stalled",
        message: expect.stringMatching(/^the height has been \d+ for 6 s$/),
        text: expect.stringMatching(/^Pillar Anvil \(prod\): stalled\nthe height has been \d+ for 6 s$/),
        content: expect.stringMatching(/^Pillar Anvil \(prod\): stalled\nthe height has been \d+ for 6 s$/),
      },
    });
    expect(JSON.stringify(await webhook.notices())).not.toMatch(/10\.77|z1q/);
  });

  it("shows and stores neither the webhook's address nor the producer's password", async () => {
    const { output } = await running;
    const password: string = JSON.parse(await onHost(host, "cat /root/.znn/config.json")).Producer.Password;
    const verbose = await stack.pulumi(["up", "--yes", "--logtostderr", "-v=7"], { all: true, reject: false });
    const places = {
      output,
      verbose: String(verbose.all),
      state: await stack.written(),
      heard: JSON.stringify(await webhook.notices()),
    };
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, place).toBeGreaterThan(100);
      for (const secret of [webhook.topic, password, JSON.stringify(password).slice(1, -1)])
        expect(text.includes(secret), `${place} holds a secret`).toBe(false);
    }
    expect(await onHost(host, "journalctl -u go-node | grep -c Password")).not.toBe("0");
  });
});
