import { openNodeChain } from "../../core/chain/chain";
import { createNodeTarget } from "../../core/chain/configuredNode";
import { readNodeVersion } from "../../core/chain/nodeVersion";
import type { StackConfig } from "../../core/config/config";
import { readSources } from "../../core/registration/pillarReadings";
import { createHostTarget } from "../../core/ssh/configuredLogin";
import { type Connection, createConnection, runScript } from "../../core/ssh/connection";
import { isSameHost } from "../../core/ssh/publicKey";
import { hourlyRestartNow, setUpFacts } from "../../core/steps/nodeSteps";
import { createEnvelope, type Step } from "../../core/steps/step";
import { createReceiver } from "../../core/steps/stepVariables";
import { createWitnessSources } from "../../core/sync/gateSettings";
import { type NodeStatus, prefetch, readNodeStatus } from "../../core/sync/nodeStatus";
import type { LastRun } from "../lastRun";

/** Reads the state of a host's node. Takes address and key as arguments, because a run may learn them late. */
export type NodeStatusReader = (address: string, hostKey: string) => Promise<NodeStatus>;

/** Reads node, chain and crontab of a synced host over one connection. */
export type NodeHostReader = (address: string, hostKey: string) => Promise<HostReading>;

/** Reads what a host carries of the stack's set-up; undefined if that can't be read. */
export type SetUpReader = (address: string, hostKey: string) => Promise<readonly string[] | undefined>;

/** Returns the lookup of the host. Starts it at once if the host is known and the last run left a node there. */
export function createHostReader(config: StackConfig, last: LastRun): NodeHostReader {
  const look: NodeHostReader = async (address, hostKey) => startReading(config, address, hostKey);
  const known = findKnownHost(config, last);
  if (known === undefined) return look;
  const early = prefetch(() => look(known.address, known.hostKey));
  return async (address, hostKey) => {
    const reading = await early();
    // The node of a host without its unit comes up in this run.
    return (await reading.setUp)?.includes("unit") === false ? look(address, hostKey) : reading;
  };
}

/** Returns the host if it can be read at once. A machine that is new to this run must wait for this run's node. */
function findKnownHost({ host }: StackConfig, last: LastRun) {
  if (!last.finished || host.provider !== "existing" || host.hostKey === undefined) return undefined;
  const { address, hostKey } = host;
  return isSameHost(last, { address, hostKey }) ? { address, hostKey } : undefined;
}

/** Returns the lookup of the set-up: with a lookup of the host that began early, else over a connection of its own. */
export function createSetUpReader(config: StackConfig, last: LastRun, look: NodeHostReader): SetUpReader {
  if (findKnownHost(config, last)) return async (address, hostKey) => (await look(address, hostKey)).setUp;
  return (address, hostKey) => {
    const connection = createConnection(createHostTarget(config, address, hostKey), undefined, true);
    return readLines(setUpFacts(config), config, address, connection).finally(() => connection.drop());
  };
}

const nothing = () => undefined;

/** Readings of a host, each available as soon as it arrives. None of them rejects. */
export type HostReading = ReturnType<typeof startReading>;

function startReading(config: StackConfig, address: string, hostKey: string) {
  const target = createNodeTarget(config, address, hostKey);
  const connection = createConnection(target.ssh, undefined, true);
  const chain = openNodeChain(`the node of ${address}`, target, connection);
  const settings = createWitnessSources(config);
  // The lookups' timeouts begin once the connection is open. If it can't be opened, each lookup reports why.
  const connected = target.via === "ssh" ? connection.session().then(nothing, nothing) : Promise.resolve();
  const seen = {
    node: connected.then(() => readNodeStatus(target, settings, connection)),
    readings: connected.then(() => readSources(chain, config.sync.references, config.pillar.name, address)),
    /** `off`, `on`, or the name of another timer that restarts the synced node; undefined if the lookup failed. */
    hourlyRestart: connected.then(async () => {
      const lines = await readLines(hourlyRestartNow(config, true), config, address, connection);
      return lines?.[0]?.trim();
    }),
    /** What the host carries of the set-up; undefined if the lookup failed. */
    setUp: connected.then(() => readLines(setUpFacts(config), config, address, connection)),
    /** The version that the node reports; undefined if it does not answer. */
    version: config.node.release
      ? connected.then(() => readNodeVersion(target, connection)).catch(() => undefined)
      : Promise.resolve(undefined),
  };
  const close = () => connection.drop();
  const closed = Promise.allSettled(Object.values(seen)).then(close);
  return {
    ...seen,
    /** Resolves after all readings, with the connection closed: before, more questions could be cut off. */
    closed,
    /** Closes the connection again, after more questions to a client of `readings`, which reopen it. */
    close,
  };
}

const timeoutMs = 20_000;

/** Returns the lines that a step prints; undefined if it fails. */
async function readLines(step: Step, config: StackConfig, address: string, connection: Connection) {
  const script = createEnvelope(step, createReceiver(config, address));
  try {
    return await runScript(connection, step.name, script, timeoutMs);
  } catch {
    return undefined;
  }
}
