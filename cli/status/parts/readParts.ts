import { type ChainClient, chainOfNode, chainOfReference } from "../../../core/chain/chain";
import { newerRelease } from "../../../core/chain/newerRelease";
import { readVersionGaps } from "../../../core/chain/nodeVersion";
import { createOrchestratorClient } from "../../../core/chain/orchestrator";
import { logRef } from "../../../core/config/stackStore";
import { hasSigner } from "../../../core/eventLog/orchestratorPresence";
import { agreeOnPillar } from "../../../core/registration/agreement";
import { lookAtRegistration, recalled } from "../../../core/registration/look";
import { unknownText } from "../../../core/registration/messages";
import { isOurs, type Registration } from "../../../core/registration/registration";
import { type PillarReading, readPillar } from "../../../core/registration/source";
import type { HostFacts } from "../../../core/retirement/readHost";
import { lookAtHost } from "../../../core/retirement/readHost";
import { collectedVariable } from "../../../core/retirement/retirementFacts";
import type { SurveyDeps } from "../../../core/retirement/surveyRetirement";
import { lookAtPorts, portRules } from "../../../core/ssh/portRules";
import { openRoot } from "../../../core/ssh/root";
import { runScript } from "../../../core/ssh/runScript";
import { hourlyRestartNow } from "../../../core/steps/looks";
import { envelope, type Step } from "../../../core/steps/step";
import { receiver } from "../../../core/steps/stepVariables";
import { lookupSettings } from "../../../core/sync/lookupSettings";
import { lookAtNode } from "../../../core/sync/nodeStatus";
import { systemClock } from "../../../core/util/clock";
import type { HostReader } from "../hostReader";
import type { StackWithHost } from "../openStack";
import { listUnmetConditions, type RetirementContext, readRetirementContext, surveyDestroy } from "./destroyPart";
import { describeOrchestrator, type OrchestratorAnswer, type OrchestratorPart } from "./orchestratorPart";
import { known, type Part, partOf } from "./part";
import { describeRewards, type RewardsPart, readRewardsPart } from "./rewardsPart";
import { readSporks } from "./sporksPart";
import type { StatusParts } from "./statusParts";

const deps = {
  ...systemClock,
  say: () => undefined,
};

/** For one node's word about the registration; milliseconds. */
const sourceLimit = 10_000;

/** Asking host, successor and chain what stands in the way takes longer than the rest: a host that boots is waited for. */
const destroyLimit = 60_000;

/** Looks at all parts side by side, each with a deadline, over the host's one connection. Never throws, changes nothing. */
export async function readParts(source: StackWithHost, hostKey: string, host: HostReader): Promise<StatusParts> {
  const { config, stack, state } = source;
  const retirement = await readRetirementContext(source, hostKey);
  const { inputs } = retirement;
  const root = openRoot(inputs.host, inputs.library, host.connection);
  const looked = partOf(() => lookAtHost(root, inputs.places, 0, deps));
  const looking = partOf(async () => {
    const look = known(await looked);
    if ("silent" in look) throw new Error(look.silent);
    return look.facts;
  });
  const node = partOf(() => lookAtNode(inputs.node, lookupSettings(config), host.connection));
  const chains = looking.then((facts) => openChains(source, inputs, facts, host));
  const readings = chains.then((clients) =>
    Promise.all(clients.map((client) => readPillar(client, config.pillar.name, sourceLimit))),
  );

  const registration = partOf(async () => {
    const [facts, now] = [await looking, known(await node)];
    const ours = ("value" in facts ? facts.value.producer : undefined) ?? inputs.knownProducer;
    // Without a word of the host, whose address is registered can't be told from its own.
    if (ours === undefined) known(facts);
    return lookAtRegistration({
      ours: ours ?? "",
      readings: await readings,
      node: now,
      network: config.network,
      memory: await recalled(logRef(config), ours ?? "", state.earlierProducer),
      now: deps.now,
    });
  });
  const signer = partOf(async () => readOrchestrator(known(await looking), root.forward, inputs.places.signer.rpcPort));
  const ports =
    config.host.provider === "existing" && config.lifecycle !== "retiring"
      ? partOf(async () => {
          const { node: unit, signer: orchestrator } = known(await looking);
          const running = { node: unit.active, signer: orchestrator.active };
          return lookAtPorts(
            source.address,
            portRules(
              config,
              orchestrator.active || (await hasSigner(config, stack, state.lastRun?.orchestratorHost)),
              running,
            ),
          );
        })
      : undefined;
  const survey =
    config.lifecycle === "active"
      ? undefined
      : partOf(async () => {
          const surveyDeps: SurveyDeps = {
            ...deps,
            connect: host.connect,
            saysCollected: process.env[collectedVariable] === config.pillar.name,
          };
          return surveyDestroy(retirement, config, await looked, surveyDeps);
        }, destroyLimit);
  const rewards = partOf(async () => {
    const [found, registered] = [survey && (await survey), await registration];
    // While it is registered, nothing has switched away from it.
    const isHere = "value" in registered && isOurs(registered.value);
    const told = !isHere && found && "value" in found ? describeRewards(found.value.facts.rewards) : undefined;
    return told ?? readCurrentRewards(await readings, registered, config);
  }, destroyLimit);
  const hourlyRestart =
    config.lifecycle === "active"
      ? partOf(async () =>
          (await runStep(source, host, hourlyRestartNow(config, state.wait?.syncedAt !== undefined))).trim(),
        )
      : undefined;
  const newer = config.lifecycle === "active" ? newerRelease(config.controller.release?.url) : undefined;
  const sporks = partOf(async () => readSporks(await chains, inputs.node, host.connection));
  const versions = partOf(async () => {
    const { currentHeight = 0, targetHeight = 0, known: isKnown, why } = known(await node);
    if (!isKnown) throw new Error(why);
    return readVersionGaps(inputs.node, Math.max(currentHeight, targetHeight), host.connection, "all");
  });

  const [facts, surveyed] = [await looking, await survey];
  const parts = {
    node: "value" in facts ? { value: describeNode(facts.value) } : facts,
    registration: await registration,
    orchestrator: await signer,
    rewards: await rewards,
    ports: await ports,
    newerRelease: await newer,
    destroy: surveyed && ("value" in surveyed ? { value: listUnmetConditions(surveyed.value) } : surveyed),
    hourlyRestart: await hourlyRestart,
    sporks: await sporks,
    versions: await versions,
  };
  return parts;
}

const describeNode = ({ node, marks }: HostFacts) =>
  marks.retired === undefined ? node : { ...node, wasShutDown: true as const };

const ownName = (address: string) => `the node of ${address}`;

/** Who is asked about the chain: the node here where one runs, the successor's, the references. */
function openChains(
  { config, address }: StackWithHost,
  { node, successor, references }: RetirementContext["inputs"],
  facts: Part<HostFacts>,
  host: HostReader,
): readonly ChainClient[] {
  const runs = "why" in facts || facts.value.node.active;
  const next = config.lifecycle === "active" ? undefined : successor;
  return [
    ...(runs ? [chainOfNode(ownName(address), node, host.connection)] : []),
    ...(next
      ? [chainOfNode(`the successor's node (${next.host.ssh.address})`, next.node, host.connect(next.node.ssh))]
      : []),
    ...references.map(chainOfReference),
  ];
}

async function readOrchestrator(
  facts: HostFacts,
  forward: ReturnType<typeof openRoot>["forward"],
  port: number,
): Promise<OrchestratorPart> {
  if (!facts.signer.active) return describeOrchestrator(facts, undefined);
  const client = createOrchestratorClient(() => forward("127.0.0.1", port), port, deps);
  const word = await partOf(async (): Promise<OrchestratorAnswer> => {
    const { version } = await client.buildInfo();
    const status = await client.status().catch(() => undefined);
    return { version, status };
  }, 20_000);
  return describeOrchestrator(facts, word);
}

function readCurrentRewards(
  readings: readonly PillarReading[],
  registration: Part<Registration>,
  { lifecycle, network }: StackWithHost["config"],
): Promise<RewardsPart> {
  const agreement = agreeOnPillar(readings);
  if (agreement.kind === "unknown") throw new Error(unknownText(agreement.why));
  const { pillar, by } = agreement;
  const [first] = by;
  if (pillar === null || first === undefined) throw new Error("nobody registered this Pillar");
  const found = "value" in registration && registration.value.kind === "producing" ? registration.value : undefined;
  const switched = lifecycle === "active" ? found?.switched : undefined;
  const question = { withdrawAddress: pillar.withdrawAddress, switched, epoch: network.epoch };
  return readRewardsPart(first.client, question, deps.now());
}

async function runStep({ address, config }: StackWithHost, { connection }: HostReader, step: Step): Promise<string> {
  const script = envelope(step, receiver(config, address));
  // The host's own limit ends it first.
  const printed = await runScript(connection, step.name, script, (step.limitSeconds + 30) * 1000);
  return printed.join("\n");
}
