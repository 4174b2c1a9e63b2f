import { openChainView } from "../core/chain/chainView.ts";
import { createNodeTarget } from "../core/chain/configuredNode.ts";
import { formatPortList, isWrong, listPortRules, tryPorts } from "../core/cloud/portRules.ts";
import { openEventLog } from "../core/eventLog/eventLog.ts";
import { type NodePaths, readNodeFacts } from "../core/host/nodeFacts.ts";
import type { Notice } from "../core/notify/notify.ts";
import { askAboutPillar } from "../core/registration/agreeOnRegistration.ts";
import { type EarlyWalletWatch, readAddressDigest, watchForEarlyWallet } from "../core/registration/earlyWallet.ts";
import { noteRegistration, readRegistrationMemory } from "../core/registration/registrationLookup.ts";
import { createNewHost } from "../core/ssh/configuredLogin.ts";
import { createConnection } from "../core/ssh/connection.ts";
import { isSameDisk } from "../core/ssh/publicKey.ts";
import { openRoot, type RootHost } from "../core/ssh/root.ts";
import { readFactsLibrary } from "../core/steps/libraries.ts";
import { createGateSettings, createWitnessSources } from "../core/sync/gateSettings.ts";
import { openNodeReader } from "../core/sync/nodeReader.ts";
import { type SyncResult, waitForSync } from "../core/sync/waitForSync.ts";
import { findWaiting, noteWaiting, type WaitStanding } from "../core/sync/waitMemory.ts";
import { systemClock } from "../core/util/clock.ts";
import { commandsFor } from "../core/util/commands.ts";
import { say, takeFirstLine } from "../core/util/printable.ts";
import { hasKind } from "../core/util/problem.ts";
import { formatGateUrn } from "../core/util/resourceTypes.ts";
import { formatDuration } from "../core/util/timeText.ts";
import { decideWait } from "../core/util/unattended.ts";
import { defineResource } from "./runtime/dynamicResource.ts";
import { showBeside } from "./runtime/engine.ts";
import { keepResults, type ProviderRun } from "./runtime/provider.ts";
import { type HostIdentity, readStackConfig } from "./runtime/stackConfig.ts";

/**
 * Blocks until the node is provably synced, and stores the proof (docs/specification.md, 1.1, step 11, and 4.1). create
 * and update wait, unless the proof is stored. delete does nothing. At the deadline the run fails; the next `up`
 * resumes the wait with the same start.
 */
export class SyncGate extends defineResource<HostIdentity, GateOutputs, GateInputs>({
  type: "SyncGate",
  prepare: createGateInputs,
  create: (_host, run) => passGate(run.prepare(), {}, run),
  update: async (olds, news, run) => {
    const resumption = decideResumption(olds, news);
    const { startedAt } = olds;
    if (resumption === "keep" && startedAt !== undefined) return { ...run.kept, startedAt };
    return passGate(run.prepare(), resumption === "restart" ? {} : olds, run);
  },
  outputs: {
    state: "plain",
    currentHeight: "plain",
    targetHeight: "plain",
    startHeight: "plain",
    startedAt: "plain",
    syncedAt: "plain",
    durationSeconds: "plain",
    rate: "plain",
    proved: "plain",
    unproved: "plain",
    earlier: "plain",
  },
}) {}

/** Durations in milliseconds. */
type GateInputs = Readonly<ReturnType<typeof createGateInputs>>;

/** The proof, or the progress of an unfinished wait. Times are ISO 8601, durations are seconds. */
interface GateOutputs extends Partial<Omit<SyncResult, "witnessed">> {
  readonly startedAt: string;
  readonly durationSeconds?: number | undefined;
  /** Momentums per second from the first lookup to the last. */
  readonly rate?: number | undefined;
  /** The address that was registered before this host's, if the wait gave up. */
  readonly earlier?: string | undefined;
}

/** Returns what the gate needs of the configuration. Secret. */
function createGateInputs({ stack, address, hostKey, setUp }: HostIdentity) {
  const config = readStackConfig(stack);
  const node: NodePaths = config.node;
  return {
    ...createGateSettings(config),
    ...createWitnessSources(config),
    setUp,
    target: createNodeTarget(config, address, hostKey),
    host: createNewHost(config, address, hostKey),
    node,
    /** Script library (core/steps/libraries.ts). */
    library: readFactsLibrary(),
    /** Ports to try on a server whose firewall the program does not set. */
    ports: config.host.provider === "existing" ? listPortRules(config, false, { node: true, orchestrator: false }) : [],
    title: `Pillar ${config.pillar.name} (${stack})`,
    /** The URL of a webhook. Secret. */
    notify: config.notify,
  };
}

/** Facts that the last run of the gate stored. `syncedAt` is ISO 8601. */
type GateKept = Partial<Omit<HostIdentity, "stack">> & { readonly syncedAt?: string | undefined };

/**
 * Decides what the gate does with its last result. `keep`: keeps the proof, because a live producer never has to wait.
 * `resume`: resumes the wait. `restart`: starts again, because the machine is another one, or its disk was set back.
 */
export function decideResumption(kept: GateKept, now: GateKept): "keep" | "resume" | "restart" {
  if (!isSameDisk(kept, now)) return "restart";
  return kept.syncedAt === undefined ? "resume" : "keep";
}

/** Waits until the node is synced. @throws KeptError, with the state of the wait */
export async function passGate(
  inputs: GateInputs,
  before: Partial<GateOutputs>,
  { signal, tell }: Pick<ProviderRun, "signal" | "tell">,
): Promise<GateOutputs> {
  const { address, hostKey } = inputs.target.ssh;
  const log = openEventLog(inputs.log, { ...systemClock, say: (line) => say(`sync: ${line}`) });
  const host = { address, hostKey, setUp: inputs.setUp };
  // An unreadable log is reported when this run writes to it.
  const logged = findWaiting(await log.read().catch(() => []), inputs.stack, host);
  const { startedAt = new Date().toISOString(), startHeight, earlier } = { ...before, ...logged };
  const kept = { startedAt, startHeight, earlier };
  const connection = createConnection(inputs.target.ssh);
  const root = openRoot(inputs.host, inputs.library, connection);
  const { closeWitnesses, ...reader } = openNodeReader(inputs.target, inputs, connection, "always");
  const notify = (event: Notice["event"], message: string) =>
    tell(inputs.notify, { event, title: `${inputs.title}: ${event}`, message });
  const wallet = createEarlyWalletWatch(inputs, root, earlier, (text) => notify("registeredTooEarly", text));
  let ports: Promise<void> | undefined;
  const wait = decideWait(inputs.wait);
  let standing: WaitStanding | undefined;
  const note = async () => standing && noteWaiting(log, { ...inputs, wait }, { ...host, ...kept }, standing);
  let begun: Promise<unknown> | undefined;
  if (wait === "block")
    say(
      `sync: watching the node on ${address}, for days if need be. This terminal may be closed, and this machine may sleep: the node syncs all the same. To stop: Ctrl-C twice. To go on: ${commandsFor(inputs.stack).resume()}`,
    );
  try {
    const outcome = await waitForSync(
      { ...inputs, wait, startedAt: Date.parse(startedAt), startHeight, ssh: inputs.target.ssh, before: logged },
      {
        ...reader,
        say,
        show: (line) => showBeside(formatGateUrn(inputs.stack), line),
        notify,
        readFacts: () => readNodeFacts(root, inputs.node, { logLines: 5, withStages: false }),
        signal,
        seen: ({ observation, good }, now) => {
          wallet?.turn();
          standing = now;
          if (observation.kind !== "none") kept.startHeight ??= observation.info.currentHeight;
          // In case this run is killed.
          if (wait === "block" && !good) begun ??= note();
          if (observation.kind === "none") return;
          ports ??= reportPorts(inputs, address);
        },
      },
    );
    const outputs = makeOutputs(outcome);
    const { state: _, targetHeight: __, ...proof } = outcome;
    await log.note({ event: "synced", details: proof });
    for (const gap of outcome.unproved) say(`sync: not proved: ${gap}`);
    const took = formatDuration((outputs.durationSeconds ?? 0) * 1000);
    say(`sync: synced at height ${outcome.currentHeight} after ${took}`);
    return outputs;
  } catch (error) {
    const fail = ({ message }: Error) => {
      if (!signal.aborted) notify("failed", `the wait for the sync ended in an error: ${takeFirstLine(message)}`);
    };
    const isEnd = hasKind(error, "gaveUp", "awaiting");
    if (!isEnd) fail(error as Error);
    await wallet?.settled();
    kept.earlier = wallet?.earlier() ?? earlier;
    await begun;
    const fault = await note().catch((thrown: Error) => thrown);
    if (fault && isEnd) fail(fault);
    if (fault && !hasKind(error, "awaiting")) fault.message = `${(error as Error).message}\n${fault.message}`;
    throw keepResults(fault ?? (error as Error), kept);
  } finally {
    await Promise.all([wallet?.settled(), ports]);
    closeWitnesses();
    connection.drop();
  }
}

/** Prints the ports that are open or closed and should not be, as this machine sees them. */
async function reportPorts({ ports, stack }: GateInputs, address: string): Promise<void> {
  const wrong = (await tryPorts(address, ports)).filter(isWrong);
  if (wrong.length > 0) say(`ports: ${formatPortList(wrong)}. How to correct them: ${commandsFor(stack).status()}`);
}

/** Watches for a wallet update that comes too early, if there are references to ask. */
function createEarlyWalletWatch(
  { references, node, log: ref, target }: GateInputs,
  root: RootHost,
  before: string | undefined,
  tell: (text: string) => void,
): EarlyWalletWatch | undefined {
  if (references.length === 0) return undefined;
  const log = openEventLog(ref, { ...systemClock, say: (line) => say(`sync: ${line}`) });
  const view = openChainView(target, { references });
  return watchForEarlyWallet(ref.pillar, before, {
    read: () => askAboutPillar(view, ref.pillar),
    digest: () => readAddressDigest(root, node),
    ...systemClock,
    say,
    tell,
    record: async (registration) => {
      const { address: ours } = registration;
      const memory = await readRegistrationMemory(ref, ours);
      await noteRegistration(log, registration, { stack: ref.stack, ours, memory });
    },
  });
}

export function makeOutputs({ witnessed: _, ...record }: SyncResult): GateOutputs {
  const seconds = Math.round((Date.parse(record.syncedAt) - Date.parse(record.startedAt)) / 1000);
  const gained = record.currentHeight - record.startHeight;
  return {
    ...record,
    durationSeconds: seconds,
    rate: seconds > 0 ? Math.round((gained / seconds) * 10) / 10 : 0,
  };
}
