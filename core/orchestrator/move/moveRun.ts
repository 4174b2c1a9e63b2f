import { isIP } from "node:net";
import type { OrchestratorStatus } from "../../chain/orchestrator";
import type { Backup } from "../../eventLog/events";
import { markOwn } from "../../ssh/foreign";
import type { CallError } from "../../ssh/root";
import { commandsFor } from "../../util/commands";
import { formatProblem } from "../../util/problem";
import type { BridgeNow } from "../checks/bridgeState";
import { formatBridgeState } from "../checks/moveSummary";
import { checkBridge, checkLive } from "../checks/stoppedState";
import { Copier } from "../hosts/copier";
import type { HostPair } from "../hosts/hostPair";
import type { MoveInputs } from "../hosts/moveInputs";
import { ProvedCopy } from "../hosts/provedCopy";
import type { HostStates } from "../rules/hostStates";
import { formatHost, type Saga, type WhichHost } from "../rules/journal";
import { createClient, type Verification, type VerifyDeps } from "./verify";

interface MoveObservations {
  verified?: Verification;
  lastBackup?: Backup;
  /** Generation of the saga whose target this run started. */
  generation?: number | undefined;
  /** Unix milliseconds. */
  stoppedAt?: number;
}

export interface MoveDeps extends VerifyDeps {
  /** Aborted when the engine is killed: then nobody waits for the result. */
  readonly signal?: AbortSignal;
  /** False in an unattended run (core/util/unattended.ts). */
  readonly isWatched: boolean;
}

/** Exit code of signer_read (orchestrator/archive.sh). */
const noSuchFile = 66;

/** A run of a move: hosts, observations, and the reads and checks of its steps. */
export class MoveRun {
  readonly seen: MoveObservations;
  readonly copier: Copier;
  readonly copy: ProvedCopy;
  /** Identity that the source's orchestrator told while it ran. */
  identity: Readonly<Record<string, string>> | undefined;
  /** The source's config.json after the stop. Secret: contains the pass phrase. */
  stoppedConfig: string | undefined;
  private readonly addresses: Map<WhichHost, string[]>;

  constructor(
    readonly inputs: MoveInputs,
    readonly sides: HostPair,
    readonly deps: MoveDeps,
  ) {
    // Set in the constructor, because a provider's stored text has no initializers of fields.
    this.seen = {};
    this.addresses = new Map();
    this.copier = new Copier(inputs, sides, deps.say);
    this.copy = new ProvedCopy(inputs, sides, this.copier, deps.say);
  }

  nameOf(side: WhichHost): string {
    return formatHost(side, this.sides.roots[side].address);
  }

  /** Reads status and identity of a host's orchestrator. @throws Error if it may not be stopped now */
  async readStatus(side: WhichHost): Promise<OrchestratorStatus | undefined> {
    const client = createClient(this.inputs, this.sides, side, this.deps);
    const status = await client.status();
    const why = checkLive(side, status, this.inputs);
    if (why !== undefined) throw new Error(why);
    const identity = await client.identity();
    if (identity) {
      const { producer, tssPeerId, evmAddress } = identity;
      this.identity = { producer, tssPeerId, evmAddress };
    }
    return status;
  }

  async assertNodeSynced(): Promise<void> {
    const node = await this.deps.readNodeSync();
    if (node.synced) return;
    throw new Error(
      formatProblem({
        what: `the node of ${this.nameOf("new")} is not synced now: the orchestrator there would wait for it`,
        found: node.why,
        needed: "wait until the node is synced; it is asked again right before the old host's orchestrator stops",
      }),
    );
  }

  /** Asserts that the chain's bridge allows a stop, because getStatus may be older than a halt. */
  assertBridgeLets(side: WhichHost): Promise<BridgeNow> {
    return this.assertBridge(`refusing to stop the orchestrator of ${this.nameOf(side)} now`);
  }

  async assertBridge(refusal: string): Promise<BridgeNow> {
    const bridge = await this.deps.readBridge();
    const hindrance = checkBridge(bridge, this.inputs.haltedBridge, commandsFor(this.inputs.stack));
    if (hindrance === undefined) {
      for (const line of formatBridgeState(bridge)) this.deps.say(line);
      return bridge;
    }
    const what = `${hindrance.what}: ${refusal}`;
    throw new Error(formatProblem({ ...hindrance, what }));
  }

  /** Reads a directory's config.json; undefined if there is none. Secret: contains the pass phrase. */
  async readConfig(side: WhichHost, saga: Saga, directory: string): Promise<string | undefined> {
    const variables = markOwn({ file: `${directory}/config.json` });
    return this.sides.call({ side, name: "signer_read", saga, variables }).catch((error: CallError) => {
      if (error.exitCode !== noSuchFile) throw error;
      return undefined;
    });
  }

  /** Reads a host's IP addresses, once: later the host may be gone. */
  async readAddresses(side: WhichHost, saga: Saga, states: HostStates): Promise<string[]> {
    const cached = this.addresses.get(side);
    if (cached || !states[side]) return cached ?? [];
    const words = (await this.sides.call({ side, name: "signer_addresses", saga })).split(/\s+/);
    const addresses = words.filter((each) => isIP(each) !== 0);
    this.addresses.set(side, addresses);
    return addresses;
  }
}

/** Does a whole step; can be repeated. @returns the state of both hosts after it */
export type Perform = (run: MoveRun, saga: Saga, states: HostStates) => Promise<HostStates>;
