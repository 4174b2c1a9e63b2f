import { type ChainClient, openNodeChain } from "../core/chain/chain.ts";
import { createNodeTarget } from "../core/chain/configuredNode.ts";
import { readVersionGaps } from "../core/chain/nodeVersion.ts";
import { createOrchestratorClient } from "../core/chain/orchestrator.ts";
import { waitForSignings } from "../core/orchestrator/move/signings.ts";
import { createNewHost } from "../core/ssh/configuredLogin.ts";
import { createConnection } from "../core/ssh/connection.ts";
import { markOwn } from "../core/ssh/foreign.ts";
import { isSameDisk } from "../core/ssh/publicKey.ts";
import { type CallOptions, openRoot, type RootHost } from "../core/ssh/root.ts";
import { readNodeReleaseLibrary } from "../core/steps/libraries.ts";
import { createNodeVariables, releaseVariables } from "../core/steps/stepVariables.ts";
import { createWitnessSources } from "../core/sync/gateSettings.ts";
import { readNodeStatus } from "../core/sync/nodeStatus.ts";
import { findRollbackFault } from "../core/upgrade/rules.ts";
import { upgradeNode } from "../core/upgrade/upgrade.ts";
import { systemClock } from "../core/util/clock.ts";
import { say } from "../core/util/printable.ts";
import { formatProblem } from "../core/util/problem.ts";
import { defineResource, hasChanges } from "./runtime/dynamicResource.ts";
import { type HostIdentity, readStackConfig } from "./runtime/stackConfig.ts";

/**
 * Upgrades a node to pillar-host:node.release, without a missed momentum if the schedule allows it, and rolls back a
 * release that does not work (docs/chain.md). create and update upgrade. delete does nothing: the version stays.
 */
export class NodeUpgrade extends defineResource<UpgradeTriggers, UpgradeOutputs, UpgradeInputs>({
  type: "NodeUpgrade",
  prepare: createUpgradeInputs,
  create: (_inputs, run) => upgrade(run.prepare(), {}),
  update: async (olds, news, run) => {
    const { running, secondsWithoutNode } = olds;
    const isSame = olds.release === news.release && isSameDisk(olds, news);
    return running && isSame && !news.found ? { running, secondsWithoutNode } : upgrade(run.prepare(), olds);
  },
  changes: (olds, news) => hasChanges(olds, news),
  outputs: { running: "plain", secondsWithoutNode: "plain" },
}) {}

interface UpgradeTriggers extends HostIdentity {
  /** The marker of pillar-host:node.release. */
  readonly release: string;
  /** A new value in each run that found another version running; otherwise absent. */
  readonly found?: string | undefined;
}

interface UpgradeOutputs {
  readonly running: string;
  readonly secondsWithoutNode?: number | undefined;
}

const limits: Readonly<Record<string, CallOptions>> = { fetch: { limitSeconds: 1800 }, look: { limitSeconds: 30 } };

type UpgradeInputs = ReturnType<typeof createUpgradeInputs>;

function createUpgradeInputs({ stack, address, hostKey }: UpgradeTriggers) {
  const config = readStackConfig(stack);
  const { node, pillar, network, orchestrator } = config;
  return {
    stack,
    pillar: pillar.name,
    network,
    host: createNewHost(config, address, hostKey),
    node: createNodeTarget(config, address, hostKey),
    /** Variables of the shell library: the release, and the node's paths. */
    release: { ...createNodeVariables(config), ...releaseVariables(node.release) },
    witnesses: createWitnessSources(config),
    orchestratorPort: orchestrator.rpcPort,
    library: readNodeReleaseLibrary(),
  };
}

async function upgrade(inputs: UpgradeInputs, last: Partial<UpgradeOutputs>): Promise<UpgradeOutputs> {
  const { stack, network, host, node, release, witnesses } = inputs;
  const connection = createConnection(host.ssh);
  const root = openRoot(host, inputs.library, connection);
  const chain = openNodeChain("the node", node, connection);
  const lastMs = last.secondsWithoutNode && last.secondsWithoutNode * 1000;
  try {
    const { without } = await upgradeNode(
      { stack, address: host.ssh.address, network, version: release.version, lastMs },
      {
        ...systemClock,
        say: (line) => say(`node: ${line}`),
        host: (name, more) => root.call(`node_release_${name}`, markOwn({ ...release, ...more }), limits[name]),
        node: () => readNodeStatus(node, witnesses, connection),
        version: () => chain.version().catch(() => undefined),
        tick: (producer) => readTick(chain, inputs, producer),
        findRollbackFault: async (before, { synced, currentHeight: height = 0 }) => {
          const gaps = await readVersionGaps(chain, node.versions, height);
          const sporks = await chain.sporks().catch(() => []);
          return findRollbackFault({ before, height, gaps, sporks, isSynced: synced });
        },
        waitForOrchestrator: () => waitForIdleOrchestrator(root, inputs.orchestratorPort),
      },
    );
    return { running: release.version, secondsWithoutNode: without ? without / 1000 : last.secondsWithoutNode };
  } finally {
    root.close();
  }
}

/** Reads the Pillar's tick. An address produces for up to two ticks after another one was registered. */
async function readTick(chain: ChainClient, { pillar, network }: UpgradeInputs, producer: string | undefined) {
  const registered = await chain.pillar(pillar);
  const { momentum, clock: now } = await chain.newest();
  const [[first], standing] = await Promise.all([chain.momentums(1, 1), chain.standing(pillar)]);
  const begin = Math.max(1, momentum.height - 3 * network.tickMomentums + 1);
  const recent = await chain.momentums(begin, momentum.height - begin + 1);
  const produced = recent.filter((each) => each.producer === producer).map(({ timestamp }) => timestamp);
  if (registered?.producerAddress !== producer && produced.length === 0) return undefined;
  return { now, genesis: first?.timestamp ?? 0, pillars: standing?.pillars ?? 0, produced };
}

const inKeyGeneration = formatProblem({
  what: "the node is not upgraded: the orchestrator beside it takes part in a key generation",
  needed: "wait until the key generation is over, then run the same command again",
});

/** Waits until the orchestrator takes part in no signing. An orchestrator that does not answer takes part in none. */
async function waitForIdleOrchestrator(host: RootHost, port: number): Promise<void> {
  const client = createOrchestratorClient(host, port, systemClock);
  const ask = () => client.status().catch(() => undefined);
  if ((await ask())?.state === 1) throw new Error(inKeyGeneration);
  await waitForSignings(ask, { ...systemClock, say: (line) => say(`node: ${line}`) });
}
