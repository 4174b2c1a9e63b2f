import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloudTokens } from "../../../lab/clouds/names.ts";
import type { Server } from "../../../lab/clouds/room/index.ts";
import type { SignersTruth } from "../../../lab/doubles/chain/index.ts";
import type { ExampleDir } from "../../../lab/doubles/orchestrator/exampleDir.ts";
import { createHostNetwork, hostNamespace, ip, operatorAddress } from "../../../lab/hosts/network.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { setUpOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";
import { LabStack } from "../../../lab/stack/stack.ts";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import { probe, probeFromOperator } from "../clouds/fixture.ts";
import { expectSuccess, onHost, testLab } from "../fixture.ts";

keepEngineLogs();

describe("the orchestrator's move to a Droplet that the same up orders", () => {
  let lab: Lab;
  let old: LabHost;
  let state: ExampleDir;
  let server: Server;
  let stranger: string;
  let run: { exitCode: number; output: string };
  let stack: LabStack;

  const file = () => ({
    pillar: { name: "Anvil" },
    host: {
      provider: "digitalocean",
      token: "set below",
      sshFrom: [`${operatorAddress}/32`],
      minimums: { cores: 1, memoryGb: 1, diskGb: 1 },
    },
    controller: { release: { url: lab.releaseUrl() } },
    sync: { confirmations: 1, confirmSeconds: 0 },
    oldHost: { address: old.address, hostKey: old.hostKey },
    orchestrator: {
      release: lab.orchestratorRelease(),
      unattended: true,
      steadySeconds: 3,
      move: true,
      firstMove: "acknowledged",
    },
    "digitalocean:apiEndpoint": lab.cloudUrl("digitalocean"),
  });
  const on = async (script: string) => String((await server.run(script)).stdout);

  beforeAll(async () => {
    lab = await testLab();
    await lab.startClouds();
    stranger = hostNamespace(lab.name, "stranger");
    await ip(createHostNetwork(lab.name, "stranger", 50));
    old = await lab.addHost("old", ensurePackagedImage);
    await lab.chain("PATCH", "/truth", { defaults: { behind: 0, rate: 1e6, startRefusedMs: 0 } });
    await setUpSyncedNode(lab, old);
    state = await setUpOrchestrator(lab, old, { extraFiles: { count: 200, bytes: 20_000 } });
    stack = await LabStack.create(lab, "prod", file(), {
      "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8"),
      "host.token": cloudTokens.digitalocean,
    });
    run = await stack.up();
    const [only] = await lab.machineRoom.servers();
    if (!only) throw new Error(run.output);
    server = only;
  }, 900_000);
  afterAll(() => lab?.down());

  it("orders it, moves the orchestrator, and ends with exactly one", async () => {
    expect(run.exitCode, run.output).toBe(0);
    expect(await on("systemctl is-active orchestrator")).toBe("active");
    expect(await onHost(old, "systemctl is-enabled orchestrator; systemctl is-active orchestrator; true")).toBe(
      "masked\ninactive",
    );
    const { doubles, identities } = await lab.chain<SignersTruth>("GET", "/signers");
    expect(doubles).toEqual([]);
    expect(identities[state.identity]?.gaps).toMatchObject([{ from: "old", to: server.name }]);
    const { orchestrator, host } = await stack.outputs<Record<string, Record<string, unknown>>>();
    expect(orchestrator).toMatchObject({ side: "new", address: server.address });
    const fingerprint = await on("ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub | cut -d' ' -f2");
    expect(host).toMatchObject({ provider: "digitalocean", address: server.address, fingerprint });
  });

  it("opens its port to the other orchestrators, and its RPCs to nobody", async () => {
    expect([await probe(stranger, server.address, 22), await probeFromOperator(lab, server.address, 22)]).toEqual([
      "filtered",
      "open",
    ]);
    for (const look of [
      (port: number) => probe(stranger, server.address, port),
      (port: number) => probeFromOperator(lab, server.address, port),
    ]) {
      await expect.poll(() => look(55055)).toBe("open");
      expect([await look(55000), await look(35997)]).toEqual(["filtered", "filtered"]);
    }
    // Behind the firewall they are there.
    const answers =
      "for port in 55000 35997; do timeout 2 bash -c 'exec 3<> /dev/tcp/127.0.0.1/'$port && echo $port; done";
    expect(await on(answers)).toBe("55000\n35997");
  });

  it("keeps its secrets out of the engine's files and output, and the next up changes nothing", async () => {
    const again = await expectSuccess(stack.up());
    expect(again).toMatch(/\d+ unchanged/);
    expect(again).not.toMatch(/created|updated|replaced/);
    const said = run.output + (await stack.written());
    for (const secret of [cloudTokens.digitalocean, "PRIVATE KEY", "ssh_deletekeys"])
      expect(said).not.toContain(secret);
  });
});
