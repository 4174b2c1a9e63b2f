import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloudTokens } from "../../../lab/clouds/names";
import type { Server } from "../../../lab/clouds/room";
import type { ChainTruth, SignersTruth } from "../../../lab/doubles/chain";
import type { ExampleDir } from "../../../lab/doubles/orchestrator/exampleDir";
import { createHostNetwork, hostNamespace, ip, operatorAddress } from "../../../lab/hosts/network";
import { ensurePackagedImage } from "../../../lab/images/packagedImage";
import type { Lab, LabHost } from "../../../lab/lab";
import { setUpOrchestrator } from "../../../lab/oldHost/runningOrchestrator";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode";
import { awaitPaidEpoch, awaitProduction, collectRewards, updateProducer } from "../../../lab/operator/wallet";
import { LabStack, type StackFile } from "../../../lab/stack/stack";
import { probe, probeFromOperator } from "../clouds/fixture";
import {
  expectFailure,
  expectSuccess,
  missedByNodes,
  onHost,
  pastPackages,
  stackFile,
  testLab,
  testStack,
} from "../fixture";
import { quick } from "../retirement/stage";

describe("the orchestrator's move to a server that the same up orders", () => {
  let lab: Lab;
  let old: LabHost;
  let state: ExampleDir;
  let next: LabHost;
  let server: Server;
  let stranger: string;
  let run: { exitCode: number; output: string };
  let stack: LabStack;

  const network = {
    epoch: `${quick.epochSeconds}s`,
    momentum: `${quick.momentumSeconds * 1000}ms`,
    tickMomentums: quick.tickMomentums,
  };
  /** Returns the configuration of each move. Both stacks have one event log, as one operator's stacks do. */
  const signer = () => ({
    release: lab.orchestratorRelease(),
    unattended: true,
    steadySeconds: 3,
    backup: { directory: join(lab.dir, "backups") },
  });
  const file = (changes: StackFile = {}, host: StackFile = {}): StackFile => ({
    pillar: { name: "Anvil" },
    host: {
      // The next host copies it from the server.
      provider: "hetzner",
      token: "set below",
      sshFrom: [`${operatorAddress}/32`, `${next.address}/32`],
      minimums: { cores: 1, memoryGb: 1, diskGb: 1 },
      ...host,
    },
    controller: { release: { url: lab.releaseUrl() } },
    sync: { confirmations: 1, confirmSeconds: 0 },
    network,
    orchestrator: {
      ...signer(),
      migrateFrom: { address: old.address, hostKey: old.hostKey, firstMove: "acknowledged" },
    },
    "hcloud:endpoint": `${lab.cloudUrl("hetzner")}/v1`,
    ...changes,
  });
  const secrets = async () => ({
    "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8"),
    "host.token": cloudTokens.hetzner,
  });
  const succeeds = async (which: LabStack) => {
    const output = await expectSuccess(which.up());
    return output;
  };
  const truth = () => lab.chain<ChainTruth>("GET", "/truth");
  /** Updates the wallet to an address, and waits for its election. */
  const elect = async (address: string) => {
    await updateProducer(lab, "Anvil", address);
    await sleep(quick.momentumSeconds * quick.tickMomentums * 4000);
  };

  beforeAll(async () => {
    lab = await testLab();
    await lab.startClouds();
    stranger = hostNamespace(lab.name, "stranger");
    await ip(createHostNetwork(lab.name, "stranger", 50));
    old = await lab.addHost("old", ensurePackagedImage);
    next = await lab.addHost("next", ensurePackagedImage);
    await pastPackages(lab, next);
    const defaults = { behind: 0, rate: 1e6, startRefusedMs: 0, connectMs: 0 };
    await lab.chain("PATCH", "/truth", { ...quick, defaults });
    const producer = await setUpSyncedNode(lab, old);
    await lab.chain("PATCH", "/pillars/Anvil", { producerAddress: producer.address });
    state = await setUpOrchestrator(lab, old, { extraFiles: { count: 200, bytes: 20_000 } });
    stack = await LabStack.create(lab, "prod", file(), await secrets());
    run = await stack.up();
    const [only] = await lab.machineRoom.servers();
    if (!only) throw new Error(run.output);
    server = only;
  }, 900_000);
  afterAll(() => lab?.down());

  it("orders the server, moves the orchestrator, and ends with exactly one", async () => {
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

  it("opens its port to the other orchestrators, and its RPCs to nobody", async () => {
    for (const look of [
      (port: number) => probe(stranger, server.address, port),
      (port: number) => probeFromOperator(lab, server.address, port),
    ]) {
      await expect.poll(() => look(55055), { timeout: 60_000 }).toBe("open");
      expect([await look(55000), await look(35997)]).toEqual(["filtered", "filtered"]);
    }
    // Behind the firewall they are there.
    const answers =
      "for port in 55000 35997; do timeout 2 bash -c 'exec 3<> /dev/tcp/127.0.0.1/'$port && echo $port; done";
    expect(String((await server.run(answers)).stdout)).toBe("55000\n35997");
  });

  let serverKey: string;

  it("moves on to another host, which then produces", async () => {
    const { producerAddress: first } = await stack.outputs<{ producerAddress: string }>();
    await elect(first);
    await succeeds(stack);
    serverKey = String((await server.run("cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub")).stdout).trim();
    const migrateFrom = { address: server.address, hostKey: serverKey };
    const changes = { network, sync: { confirmations: 1, confirmSeconds: 0 } };
    const moved = stackFile(lab, next, { ...changes, orchestrator: { ...signer(), migrateFrom } });
    const successor = await testStack(lab, next, {}, "prod-2");
    const login = { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") };
    await successor.configure(moved, login);
    await succeeds(successor);
    const { orchestrator, producerAddress } = await successor.outputs<{
      orchestrator: { side: string };
      producerAddress: string;
    }>();
    expect(orchestrator.side).toBe("new");
    await elect(producerAddress);
    await awaitProduction(lab, producerAddress);
    await succeeds(successor);
  });

  it("after a lost laptop, the server is retired and destroyed, and the orchestrator keeps signing", async () => {
    await rename(join(lab.dir, "backups"), join(lab.dir, "lost"));
    // Without the event log, the successor's node alone does not prove its chain.
    const references = [await lab.addReference("ref1")];
    const retirement = { successor: { address: next.address, hostKey: next.hostKey }, references };
    const orchestrator = { backup: { directory: join(lab.dir, "backups") } };
    const retiring = file({ lifecycle: "retiring", orchestrator, retirement }, { hostKey: serverKey });
    const another = await LabStack.create(lab, "prod", retiring, await secrets(), { folder: "another-laptop" });
    await succeeds(another);
    expect(String((await server.run("systemctl is-active go-node orchestrator; true")).stdout)).toBe(
      "inactive\ninactive",
    );
    await expectFailure(another.destroy(["--skip-preview"]));
    expect(await lab.machineRoom.servers()).toHaveLength(1);

    await awaitPaidEpoch(lab);
    await collectRewards(lab, "Anvil");
    await expectSuccess(another.destroy(["--skip-preview"]));
    expect(await lab.machineRoom.servers()).toEqual([]);
    expect(await lab.cloud("hetzner", "GET", "/_lab/servers")).toEqual([]);

    const { doubles, identities, now } = await lab.chain<SignersTruth>("GET", "/signers");
    expect(doubles).toEqual([]);
    const last = identities[state.identity]?.intervals.at(-1);
    expect(last).toMatchObject({ host: "next" });
    expect(now - (last?.until ?? 0)).toBeLessThan(3000);
    const played = await truth();
    expect(missedByNodes(played).filter(({ pillar }) => pillar === "Anvil")).toEqual([]);
    expect(played.doubleProduced).toEqual([]);
  });
});
