import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloudTokens } from "../../../lab/clouds/doubles";
import type { Server } from "../../../lab/clouds/room";
import type { SignersTruth } from "../../../lab/doubles/chain";
import type { ExampleDir } from "../../../lab/doubles/orchestrator/exampleDir";
import { ip } from "../../../lab/hosts/ip";
import { createHostNetwork, hostNamespace, operatorAddress } from "../../../lab/hosts/network";
import type { Lab, LabHost } from "../../../lab/lab";
import { setUpOrchestrator } from "../../../lab/orchestrator";
import { ensurePackagedImage } from "../../../lab/packagedImage";
import { LabStack } from "../../../lab/stack";
import { setUpSyncedNode } from "../../../lab/syncedNode";
import { probe, probeFromOperator } from "../clouds/fixture";
import { onHost, testLab } from "../fixture";

describe("the signer's move onto a server that the same up makes at a provider", () => {
  let lab: Lab;
  let old: LabHost;
  let state: ExampleDir;
  let server: Server;
  let stranger: string;
  let run: { exitCode: number; output: string };
  let stack: LabStack;

  beforeAll(async () => {
    lab = await testLab();
    await lab.startClouds();
    stranger = hostNamespace(lab.name, "stranger");
    await ip(createHostNetwork(lab.name, "stranger", 50));
    old = await lab.addHost("old", ensurePackagedImage);
    await lab.chain("PATCH", "/truth", { defaults: { behind: 0, rate: 1e6, startRefusedMs: 0, connectMs: 0 } });
    await setUpSyncedNode(lab, old);
    state = await setUpOrchestrator(lab, old, { extraFiles: { count: 200, bytes: 20_000 } });
    const config = {
      pillar: { name: "Anvil" },
      host: {
        ...{ provider: "hetzner", token: "set below", sshFrom: [`${operatorAddress}/32`] },
        minimums: { cores: 1, memoryGb: 1, diskGb: 1 },
      },
      controller: { release: { url: lab.releaseUrl() } },
      sync: { confirmations: 1, confirmSeconds: 0 },
      orchestrator: {
        release: lab.orchestratorRelease(),
        migrateFrom: { address: old.address, hostKey: old.hostKey },
        ...{ unattended: true, steadySeconds: 3 },
      },
      "hcloud:endpoint": `${lab.cloudUrl("hetzner")}/v1`,
    };
    const privateKey = await readFile(lab.privateKeyFile, "utf8");
    stack = await LabStack.create(lab, "prod", config, {
      "ssh.privateKey": privateKey,
      "host.token": cloudTokens.hetzner,
    });
    run = await stack.up();
    const [only] = await lab.machineRoom.servers();
    if (!only) throw new Error(run.output);
    server = only;
  }, 900_000);
  afterAll(() => lab?.down());

  it("goes from nothing to the signer's new place, and ends with exactly one", async () => {
    expect(run.exitCode, run.output).toBe(0);
    expect(String((await server.run("systemctl is-active orchestrator")).stdout)).toBe("active");
    expect(await onHost(old, "systemctl is-enabled orchestrator; systemctl is-active orchestrator; true")).toBe(
      "masked\ninactive",
    );
    const { doubles, identities } = await lab.chain<SignersTruth>("GET", "/signers");
    expect(doubles).toEqual([]);
    expect(identities[state.identity]?.gaps).toMatchObject([{ from: "old", to: server.name }]);
    const { orchestrator } = await stack.outputs<{ orchestrator: Record<string, unknown> }>();
    expect(orchestrator).toMatchObject({ side: "new", address: server.address });
  });

  it("shows the other signers its port, and nobody its RPC or its node's", async () => {
    for (const look of [
      (port: number) => probe(stranger, server.address, port),
      (port: number) => probeFromOperator(lab, server.address, port),
    ]) {
      expect(await look(55055)).toBe("open");
      expect([await look(55000), await look(35997)]).toEqual(["filtered", "filtered"]);
    }
    // Behind the firewall they are there.
    const answers =
      "for port in 55000 35997; do timeout 2 bash -c 'exec 3<> /dev/tcp/127.0.0.1/'$port && echo $port; done";
    expect(String((await server.run(answers)).stdout)).toBe("55000\n35997");
  });
});
