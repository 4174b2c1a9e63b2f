import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cloudTokens } from "../../../lab/clouds/names.ts";
import type { Server } from "../../../lab/clouds/room/index.ts";
import { createHostNetwork, hostNamespace, ip, operatorAddress } from "../../../lab/hosts/network.ts";
import type { Lab } from "../../../lab/lab.ts";
import { LabStack, type StackFile } from "../../../lab/stack/stack.ts";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import { createKeyPair } from "../../../providers/hostKey.ts";
import { expectFailure, expectSuccess, testLab } from "../fixture.ts";
import { probe, probeFromOperator } from "./fixture.ts";
import { lostLaptop } from "./lostLaptop.ts";

keepEngineLogs();

// The whole journey of a host at a provider, on a real machine: from nothing to synced, and to nothing again.

const token = cloudTokens.hetzner;
let lab: Lab;
let stack: LabStack;
let server: Server;
let silent: { exitCode: number; output: string };
let first: { exitCode: number; output: string };
let privateKey: string;
let stranger: string;

const file = (changes: StackFile = {}, host: StackFile = {}): StackFile => ({
  pillar: { name: "Anvil" },
  host: {
    provider: "hetzner",
    token: "set below",
    sshFrom: [`${operatorAddress}/32`],
    minimums: { cores: 1, memoryGb: 1, diskGb: 1 },
    ...host,
  },
  controller: { release: { url: lab.releaseUrl() } },
  sync: { unverifiedChain: "acknowledged" },
  "hcloud:endpoint": `${lab.cloudUrl("hetzner")}/v1`,
  ...changes,
});
const secrets = () => ({ "ssh.privateKey": privateKey, "host.token": token });
const on = async (script: string) => String((await server.run(script)).stdout);
/** Expects ssh open for the operator only, these ports open for everybody, and those closed. */
const expectOpen = async (open: number[], closed: number[]) => {
  const seen = (port: number) =>
    Promise.all([probeFromOperator(lab, server.address, port), probe(stranger, server.address, port)]);
  await expect.poll(() => seen(22)).toEqual(["open", "filtered"]);
  expect(await Promise.all(closed.map(seen))).toEqual(closed.map(() => ["filtered", "filtered"]));
  // A busy machine's answer takes longer than the silence of a firewall is waited for.
  for (const port of open) await expect.poll(() => seen(port), { message: `${port}` }).not.toContain("filtered");
};
const servers = () => lab.cloud<unknown[]>("hetzner", "GET", "/_lab/servers");

beforeAll(async () => {
  lab = await testLab();
  await lab.startClouds();
  stranger = hostNamespace(lab.name, "stranger");
  await ip(createHostNetwork(lab.name, "stranger", 50));
  privateKey = await readFile(lab.privateKeyFile, "utf8");
  await lab.cloud("hetzner", "POST", "/_lab/faults", { kind: "neverBoots", times: 1 });
  stack = await LabStack.create(lab, "prod", file({}, { startTimeout: "20s" }), secrets());
  silent = await stack.up();
  const [only] = await lab.machineRoom.servers();
  if (!only) throw new Error(silent.output);
  server = only;
  // The provider's console does the same.
  await lab.machineRoom.powerOn(server.id);
  await stack.configure(file(), secrets());
  first = await stack.up();
}, 900_000);

afterAll(async () => {
  await stack?.endRuns();
  await lab?.down();
});

describe("a host at a provider, from nothing", () => {
  test("ends before its first step if the server does not boot, with the reason", async () => {
    expect(silent.exitCode, silent.output).not.toBe(0);
    expect(silent.output).toMatch(/waiting up to 20 s for server pillar-anvil-prod \(\d+\) to boot/);
    expect(silent.output).toMatch(
      new RegExp(`error: server pillar-anvil-prod \\(\\d+\\) at \\w+, ${server.address}: no login is possible\n`),
    );
    expect(silent.output).not.toContain("host-cloud-init");
  });

  test("is waited for and synced in one run once it is started in the console", async () => {
    expect(first.exitCode, first.output).toBe(0);
    expect((await servers()).length).toBe(1);
    expect(first.output).toContain("cloud-init is done; logins with keys only; unattended-upgrades is installed");
    const outputs = await stack.outputs<{ producerAddress: string; host: Record<string, string> }>();
    expect(outputs.producerAddress).toMatch(/^z1q/);
    expect(outputs.host).toMatchObject({ provider: "hetzner", address: server.address });
    expect(outputs.host.fingerprint).toBe(await on("ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub | cut -d' ' -f2"));
  });

  test("has one host key, no password logins, and upgrades that do not reboot", async () => {
    expect(await on("sshd -T | grep -i ^hostkey\\ ")).toBe("hostkey /etc/ssh/ssh_host_ed25519_key");
    expect(await on("sshd -T | grep -i ^passwordauthentication")).toBe("passwordauthentication no");
    expect(await on("dpkg -s unattended-upgrades | grep ^Status")).toBe("Status: install ok installed");
    expect(await on("apt-config dump | grep -E 'Automatic-Reboot |Periodic::Unattended' | sort")).toBe(
      'APT::Periodic::Unattended-Upgrade "1";\nUnattended-Upgrade::Automatic-Reboot "false";',
    );
  });

  test("opens ssh only to the operator, and only the node's port to everybody", async () => {
    await expectOpen([35995], [35997, 35998, 55000, 55055]);
  });

  test("keeps its secrets out of the engine's files and output", async () => {
    const said = first.output + (await stack.written());
    for (const secret of [token, "PRIVATE KEY", "ssh_deletekeys"]) expect(said).not.toContain(secret);
  });

  test("a second up changes nothing", async () => {
    const output = await expectSuccess(stack.up());
    expect(output).toMatch(/\d+ unchanged/);
    expect(output).not.toMatch(/created|updated|replaced/);
  });

  const nodePid = () => on("systemctl show -p MainPID go-node");
  const hostKey = async () => (await on("cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub")).trim();
  lostLaptop(() => ({ lab, stack, file, secrets, hostKey, nodePid }));

  test("accepts a changed ssh key that its operator authorised, and opens an orchestrator's port without a restart", async () => {
    const pid = await nodePid();
    const changed = createKeyPair();
    privateKey = changed.privateKey;
    await on(`echo '${changed.publicKey}' >> /root/.ssh/authorized_keys`);
    await stack.configure(file({ orchestrator: { release: lab.orchestratorRelease() } }), secrets());
    await expectSuccess(stack.up());
    expect(await nodePid()).toBe(pid);
    expect((await servers()).length).toBe(1);
    await expectOpen([35995, 55055], [35997, 35998, 55000]);
  });

  describe("once somebody else produces for the Pillar", () => {
    const retiring = () => file({ lifecycle: "retiring", retirement: { references: [lab.referenceUrl("ref")] } });

    beforeAll(async () => {
      await lab.addReference("ref");
      await lab.chain("PATCH", "/pillars/Anvil", { producerAddress: "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7" });
    });

    test("its node is off after an interrupted retirement, and runs once it is active again", async () => {
      expect((await stack.destroy()).output).toContain("because it is protected");
      await stack.configure(retiring(), secrets());
      const run = await stack.begin();
      await run.printed("it stays off after a reboot");
      // The state has all earlier steps as done.
      await run.kill();
      await stack.cancel();
      expect(await on("systemctl is-active go-node || systemctl is-enabled go-node || true")).toBe("inactive\nmasked");
      await stack.configure(file(), secrets());
      await expectSuccess(stack.up());
      expect(await on("systemctl is-active go-node && systemctl is-enabled go-node")).toBe("active\nenabled");
      expect(await on("systemctl show -p ExecStop --value go-node; ls /root/.znn/nom | grep torn || true")).toBe("");
      expect((await stack.destroy()).output).toContain("because it is protected");
    });

    test("a targeted destroy does not bypass the guards", async () => {
      await stack.configure(retiring(), secrets());
      await expectSuccess(stack.up());
      const target = ["--target", "**::server", "--target-dependents", "--skip-preview"];
      await lab.chain("PATCH", "/nodes/ref", { nullPillar: true });
      const refused = await expectFailure(stack.destroy(target));
      expect(refused).toContain("there is no Pillar Anvil");
      expect((await servers()).length).toBe(1);
      await lab.chain("PATCH", "/nodes/ref", { nullPillar: false });
    });

    test("leaves nothing after retirement and destroy", async () => {
      const output = await expectSuccess(stack.destroy());
      expect(output).toContain("has produced nothing since its deploy");
      expect(await servers()).toEqual([]);
      expect(await lab.machineRoom.servers()).toEqual([]);
    });
  });
});
