import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findPortProblems } from "../../../core/cloud/portRules.ts";
import { formatTextLine } from "../../../core/util/commands.ts";
import type { RegisteredPillar } from "../../../lab/doubles/chain/index.ts";
import { hostNamespace } from "../../../lab/hosts/network.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { updateProducer } from "../../../lab/operator/wallet.ts";
import { LabStack } from "../../../lab/stack/stack.ts";
import { parseExposition } from "../../cli/status/expositionFormat.ts";
import { onHost, stackFile, testLab } from "../fixture.ts";
import { cli, cliInTerminal, type Told } from "./fixture.ts";

const sudoPassword = "sudo-pw-7dq3";

describe("pillar-host status", () => {
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;
  const told: string[] = [];

  beforeAll(async () => {
    lab = await testLab();
    // Far behind and slow: it does not sync before a test lets it.
    await lab.chain("PATCH", "/truth", { height: 20_000, defaults: { behind: 1000, rate: 2 } });
    host = await lab.addHost("host1", ensurePackagedImage);
    const { address } = host;
    const config = { host: { provider: "existing", address, minimums: { cores: 1, diskGb: 1 } } };
    const secrets = { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8"), "ssh.sudoPassword": sudoPassword };
    stack = await LabStack.create(lab, "prod", stackFile(lab, host, config), secrets, { hasPassphrase: true });
  });
  afterAll(async () => lab?.down());

  const keep = (one: Told): Told => {
    told.push(one.output);
    return one;
  };
  const status = async (args: readonly string[] = [], env = {}) =>
    keep(await cli(stack, ["status", "prod", ...args], env));

  /** Closes the ports as printed. A lab host has no firewall in front of it, so that the node's RPC is open before. */
  const portsClosedAsTold = async (output: string) => {
    expect(output).toMatch(/^ports +35995 open; 35997 open \(WRONG\); 35998 open \(WRONG\); 55000 refused$/m);
    const rule = { what: "", wanted: "closed", listens: true, seen: "open" } as const;
    const told = findPortProblems([35997, 35998].map((port) => ({ ...rule, port })))
      .map(formatTextLine)
      .join("\n");
    const [, command = ""] = /nftables: (.*)/.exec(told) ?? [];
    await execa("ip", ["netns", "exec", hostNamespace(lab.name, host.name), "sh", "-c", command]);
    const after = await status();
    expect(after.output).toMatch(/^ports +35995 open; 35997 no answer; 35998 no answer; 55000 refused$/m);
    expect(after.output).not.toContain("nftables");
  };

  it("logs in nowhere before the first up", async () => {
    const logins = () => onHost(host, "journalctl -t sshd --no-pager | grep -c Accepted");
    const before = await logins();
    const { exitCode, output } = await status();
    expect(await logins()).toBe(before);
    expect(exitCode).toBe(2);
    expect(output).toMatch(/10\.77\.0\.11 was not read: its host key is neither configured nor recorded/);
  });

  it("refuses an unknown stack and a wrong pass phrase", async () => {
    const unknown = keep(await cli(stack, ["status", "nope"]));
    expect([unknown.exitCode, unknown.output]).toEqual([2, expect.stringMatching(/^there is no stack nope here\n/)]);
    const wrong = await status([], { PULUMI_CONFIG_PASSPHRASE: "wrong" });
    const refusal = expect.stringMatching(/^the pass phrase does not open stack prod\n {2}needed: /);
    expect([wrong.exitCode, wrong.output]).toEqual([2, refusal]);
  });

  it("shows a waiting run's progress, the host's facts and who holds the lock", {
    timeout: 600_000,
  }, async () => {
    // Sudo's password goes nowhere before the host's key was recorded and could be compared.
    expect((await stack.up()).output).toContain(
      "this run ends before a secret goes there (pillar-host:ssh.sudoPassword)",
    );
    const up = await stack.begin();
    await up.printed(" %, height ");
    const syncing = /^sync +\d\d\.\d %, height \d+ of 20\d\d\d.*$/m;
    // On the hour the node restarts, and says nothing for some seconds.
    const seen = async () => {
      const told = await status();
      expect(told.output).toMatch(syncing);
      return told;
    };
    const { exitCode, output } = await vi.waitFor(seen, { timeout: 300_000 });
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^stage +deployed, syncing$/m);
    expect(output).toMatch(/^next +nothing to do: a run is active$/m);
    expect(output).toContain(`a run is active: process ${up.pid} of root on ${hostname()}, since 20`);
    expect(output).toMatch(/^service +go-node is active \(running\) since /m);
    expect(output).toMatch(/^log:\n( {2}.*\n)* {2}\S+ go-node\[\d+\]: /m);
    await portsClosedAsTold(output);

    const drawn = Promise.withResolvers<void>();
    const watching = cliInTerminal(stack, ["status", "prod", "--watch"], " %, height ", drawn.resolve);
    const piped = status(["--watch"]);
    await drawn.promise;
    await onHost(host, "pkill -f 'sshd: root@[n]otty' || true");
    await lab.chain("PATCH", "/nodes/host1", { rpcDown: true });
    await sleep(17_000);
    await lab.chain("PATCH", "/nodes/host1", { rpcDown: false, rate: 5000 });
    const [live, plain, upEnded] = await Promise.all([watching.then(keep), piped, up.end()]);
    expect(upEnded.exitCode).toBe(0);
    expect(upEnded.output).toContain(
      "ports: 35997 open (WRONG); 35998 open (WRONG). How to correct them: ./pillar-host status prod",
    );
    expect(live.exitCode).toBe(0);
    expect(live.output).toMatch(/\[HPillar Anvil, prod \(10\.77\.0\.11\) +\d\d:\d\d:\d\d UTC/);
    expect(live.output).toMatch(/^sync +\[#+-+\] \d\d\.\d %, height \d+ of 20\d\d\d/m);
    // The bell.
    expect(live.output).toContain("\u0007");
    expect(live.output).toMatch(
      /synced at height 20\d\d\d: height 20\d\d\d reached target 20\d\d\d; newest momentum is fresh/,
    );
    expect(plain.exitCode).toBe(0);
    expect(plain.output).not.toContain("\u001b");
    expect(plain.output).toMatch(/^synced at height 20\d\d\d: /);
  });

  it("exits with 0 for a synced node, and with 2 and the reason for a host that is down", async () => {
    const synced = await status();
    expect(synced.exitCode, synced.output).toBe(0);
    expect(synced.output).toMatch(/^stage +synced\nnext +pulumi up -s prod shows the producer address/m);
    expect(synced.output).toMatch(/^sync +100.0 %, .* \(1 of 1 lookups\)$/m);
    expect(synced.output).not.toMatch(/^pulumi /m);
    expect(synced.output).toMatch(/^address +.*Anvil is still registered with z1q/m);
    expect(synced.output).toMatch(/^orchestrator +none on this host$/m);
    expect(synced.output).toMatch(/^destroy +refused: pillar-host:lifecycle of prod is active$/m);

    await host.stop({ powerCut: true });
    const down = await status();
    expect(down.exitCode).toBe(2);
    expect(down.output).toMatch(/^orchestrator +unknown: the host does not answer$/m);
    expect(down.output).toMatch(/^stage +was synced, but is not synced now$/m);
    expect(down.output).toMatch(
      /10\.77\.0\.11 could not be reached: root@10\.77\.0\.11:22: .*\n {2}needed: start the host/,
    );
    await host.start();
  });

  it("follows the Pillar from the wallet's update to its momentums", async () => {
    // Ticks of ten minutes: a busy machine is slow to look before the election.
    await lab.chain("PATCH", "/truth", { momentumSeconds: 0.25, tickMomentums: 2400 });
    const { producerAddress: earlier } = await lab.chain<RegisteredPillar>("PATCH", "/pillars/Anvil", {});
    const ours = await onHost(host, `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`);
    const statusNow = () => cli(stack, ["status", "prod"]);
    let before = await statusNow();
    // The host boots.
    while (before.exitCode !== 0) before = await statusNow();
    expect(before.output).toContain(`not registered: Anvil is still registered with ${earlier}`);
    expect(before.output).not.toContain(ours);

    await updateProducer(lab, "Anvil", ours);
    const { exitCode, output } = await statusNow();
    expect(exitCode).toBe(1);
    expect(output).toMatch(
      /^stage +registered; waiting for its first momentum\nnext +wait, and keep the old host running: /m,
    );
    expect(output).toContain(`registered: Anvil has this host's address, ${ours}`);

    await lab.chain("PATCH", "/pillars/Anvil", { producerAddress: ours });
    const watching = await cliInTerminal(stack, ["status", "prod", "--watch", "--keep"], "stage         producing");
    expect(watching.exitCode).toBe(130);
    expect(watching.output).toContain("stage         producing");
    const after = JSON.parse((await cli(stack, ["status", "prod", "--json"])).output) as object;
    expect(after).toMatchObject({
      stage: "producing",
      needs: "step",
      next: "pulumi up -s prod records the first momentum",
      synced: true,
      destroy: null,
      registration: { state: "producing", address: ours, producing: true, height: expect.any(Number) },
    });
  });

  it("writes metrics of the stack, and a support file with the host's logs", async () => {
    const file = (name: string) => join(stack.programDirectory, name);
    await cli(stack, ["status", "--all", "--metrics", file("pillar_host.prom")]);
    const samples = parseExposition(await readFile(file("pillar_host.prom"), "utf8"));
    const values = Object.fromEntries(samples.map(({ name, value }) => [name.slice("pillar_host_".length), value]));
    expect(values).toMatchObject({
      look_success: 1,
      synced: 1,
      sync_ratio: 1,
      registered: 1,
      producing: 1,
      node_peers: 8,
    });
    expect(values.disk_free_bytes).toBeGreaterThan(1e9);

    expect(await cli(stack, ["support", "-o", file("support.txt")])).toMatchObject({ exitCode: 0 });
    const text = await readFile(file("support.txt"), "utf8");
    told.push(text);
    for (const part of [
      /"cliAbout": \{/,
      /"stage": "producing"/,
      /=== check of prod ===\n\{/,
      /=== report of prod ===\n\{/,
      /"event":"synced"/,
      / go-node\[\d+\]: /,
      /packages\.log <==\n/,
    ])
      expect(text).toMatch(part);
  });

  it("shows no secret and no producer address anywhere", async () => {
    const { Producer } = JSON.parse(await onHost(host, "cat /root/.znn/config.json")) as {
      Producer: { Address: string; Password: string };
    };
    const key = (await readFile(lab.privateKeyFile, "utf8")).split("\n")[2] ?? "";
    const all = told.join("\n");
    for (const secret of [Producer.Address, Producer.Password, key, sudoPassword, stack.passphrase]) {
      expect(secret.length).toBeGreaterThan(6);
      expect(all).not.toContain(secret);
    }
    expect(all).toContain("[address]");
    expect(all.replaceAll(/registered with\S*\s+z1q\w+/g, "")).not.toMatch(/z1q[a-z0-9]{30}/);
  });
});
