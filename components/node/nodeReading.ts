import { openNodeChain } from "../../core/chain/chain.ts";
import { openChainView } from "../../core/chain/chainView.ts";
import { createNodeTarget } from "../../core/chain/configuredNode.ts";
import type { StackConfig } from "../../core/config/config.ts";
import { readHostFacts } from "../../core/host/facts.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import { askAboutPillar } from "../../core/registration/agreeOnRegistration.ts";
import { createNewHost } from "../../core/ssh/configuredLogin.ts";
import { createConnection, runScript } from "../../core/ssh/connection.ts";
import { isSameHost } from "../../core/ssh/publicKey.ts";
import { openRoot, type RootHost } from "../../core/ssh/root.ts";
import { readFactsLibrary } from "../../core/steps/libraries.ts";
import { hourlyRestartNow } from "../../core/steps/nodeSteps.ts";
import { createEnvelope } from "../../core/steps/step.ts";
import { createReceiver } from "../../core/steps/stepVariables.ts";
import { createWitnessSources } from "../../core/sync/gateSettings.ts";
import { type NodeStatus, prefetch, readNodeStatus } from "../../core/sync/nodeStatus.ts";

/** Reads the state of a host's node. Takes address and key as arguments, because a run may learn them late. */
export type NodeStatusReader = (address: string, hostKey: string) => Promise<NodeStatus>;

/** Reads node, chain and crontab of a synced host over one connection. */
export type NodeHostReader = (address: string, hostKey: string) => Promise<HostReading>;

/** Returns the lookup of the host. Starts it at once if the host is known and the last run left a node there. */
export function createHostReader(config: StackConfig, last: LastRun): NodeHostReader {
  const look: NodeHostReader = async (address, hostKey) => startReading(config, address, hostKey);
  const { host } = config;
  if (!last.finished || host.provider !== "existing" || host.hostKey === undefined) return look;
  const { address, hostKey } = host;
  // On a machine that the last run did not know, the lookup must wait until this run's node is synced.
  if (!isSameHost(last, { address, hostKey })) return look;
  const early = prefetch(() => look(address, hostKey));
  return async () => {
    const reading = await early();
    // The node of a lost disk comes up in this run.
    return (await reading.setUp)?.hasUnit === false ? look(address, hostKey) : reading;
  };
}

export type SetUpReading = Awaited<ReturnType<typeof readSetUp>>;

async function readSetUp(root: RootHost, service: string) {
  const { marks, service: unit } = await readHostFacts(root, ["marks", "service"], { service });
  return { marks, hasUnit: !["", "not-found"].includes(unit.load) };
}

const nothing = () => undefined;
const timeoutMs = 20_000;

/** Readings of a host, each available as soon as it arrives. None of them rejects. */
export type HostReading = ReturnType<typeof startReading>;

function startReading(config: StackConfig, address: string, hostKey: string) {
  const target = createNodeTarget(config, address, hostKey);
  const connection = createConnection(target.ssh, undefined, true);
  const settings = createWitnessSources(config);
  const view = openChainView(target, { own: target, references: settings.references }, () => connection);
  // The lookups' timeouts begin once the connection is open. If it can't be opened, each lookup reports why.
  const connected = target.via === "ssh" ? connection.session().then(nothing, nothing) : Promise.resolve();
  const root = openRoot(createNewHost(config, address, hostKey), readFactsLibrary(), connection);
  const restartNow = hourlyRestartNow(config, true);
  const script = createEnvelope(restartNow, createReceiver(config, address));
  const seen = {
    node: connected.then(() => readNodeStatus(target, settings, connection)),
    agreement: connected.then(() => askAboutPillar(view, config.pillar.name)),
    /** `off`, `on`, or the name of another timer that restarts the synced node; undefined if the lookup failed. */
    hourlyRestart: connected
      .then(() => runScript(connection, restartNow.name, script, timeoutMs))
      .then(([line]) => line?.trim(), nothing),
    /** Markers of a stack on the host, and whether it has the node's unit; undefined if the lookup failed. */
    setUp: connected.then(() => readSetUp(root, config.node.service)).catch(nothing),
    /** The version that the node reports; undefined if it does not answer. */
    version: config.node.release
      ? connected.then(() => openNodeChain("the node", target, connection).version()).catch(nothing)
      : Promise.resolve(undefined),
  };
  const close = () => connection.drop();
  const closed = Promise.allSettled(Object.values(seen)).then(close);
  return {
    ...seen,
    /** Resolves after all readings, with the connection closed: before, more questions could be cut off. */
    closed,
    /** Closes the connection again, after more questions to a client of `agreement`, which reopen it. */
    close,
  };
}
