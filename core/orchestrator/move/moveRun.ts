import { type BuildInfo, createOrchestratorClient, type OrchestratorStatus } from "../../chain/orchestrator.ts";
import type { Backup } from "../../eventLog/events.ts";
import { markOwn } from "../../ssh/foreign.ts";
import type { CallError } from "../../ssh/root.ts";
import type { Teller } from "../../util/clock.ts";
import { parseAddresses } from "../../util/hostPort.ts";
import { ProblemError } from "../../util/problem.ts";
import type { BackupRef } from "../backup/backup.ts";
import { type BridgeNow, formatBridgeState } from "../checks/bridgeState.ts";
import { checkBridge, checkStatus } from "../checks/stoppedState.ts";
import type { ChainReaders } from "../checks/survey.ts";
import { Copier } from "../hosts/copier.ts";

import type { HostPair } from "../hosts/hostPair.ts";
import type { MoveInputs } from "../hosts/moveInputs.ts";
import type { Confirmed } from "../rules/confirmations.ts";
import type { Wanted } from "../rules/generation.ts";
import { formatHost, type HostStates, type WhichHost } from "../rules/journal.ts";
import type { SagaActions, SagaDeps } from "./saga.ts";

export type MoveDeps = Teller & ChainReaders & SagaDeps;

/** A run of a move: hosts, observations, and the reads and checks of its steps. Times in unix milliseconds. */
export class MoveRun {
  readonly copier: Copier;
  readonly inputs: Confirmed<MoveInputs>;
  readonly sides: HostPair;
  readonly deps: MoveDeps;
  verified?: { readonly build: BuildInfo; readonly answeredAt: number };
  lastBackup?: Backup;
  /** Asks whether the old host is lost and fenced now (saga.ts). */
  isFenced: SagaActions["isFenced"] = async () => false;
  /** The move as configured, and what the event log had of moves when this run began. */
  wanted: Pick<Wanted, "known" | "laterThan"> = {};
  /** Generation of the saga whose target this run started. */
  generation?: number | undefined;
  /** When this saga first stopped the orchestrator, perhaps in an earlier run. */
  stoppedAt?: number | undefined;
  /** Set by a rollback: the saga ends without an end in the event log. */
  secondsUntilRestored?: number | undefined;
  /** Identity that the source's orchestrator told while it ran. */
  identity: Readonly<Record<string, string>> | undefined;
  /** The source's config.json after the stop. Secret: contains the pass phrase. */
  stoppedConfig: string | undefined;
  private readonly addresses = new Map<WhichHost, string[]>();

  constructor(inputs: Confirmed<MoveInputs>, sides: HostPair, deps: MoveDeps) {
    this.inputs = inputs;
    this.sides = sides;
    this.deps = deps;
    this.copier = new Copier(inputs, sides, deps.say);
  }

  /** Returns the seconds from the first stop to an answer; undefined if nobody knows when that was. */
  countSecondsWithoutSigner(answeredAt: number): number | undefined {
    return this.stoppedAt === undefined ? undefined : Math.round((answeredAt - this.stoppedAt) / 100) / 10;
  }

  nameOf(side: WhichHost): string {
    return formatHost(side, this.sides.roots[side].address);
  }

  client(side: WhichHost) {
    return createOrchestratorClient(this.sides.roots[side], this.inputs[side].rpcPort, this.deps);
  }

  backupRef(): BackupRef {
    return { ...this.inputs.backups, move: this.inputs.move };
  }

  /** Reads status and identity of a host's orchestrator. @throws Error if it may not be stopped now */
  async readStatus(side: WhichHost): Promise<OrchestratorStatus | undefined> {
    const client = this.client(side);
    const status = await client.status();
    const { what, ...problem } = checkStatus(status, this.inputs.haltedBridge) ?? {};
    if (what !== undefined)
      throw new ProblemError({ ...problem, what: `the orchestrator of the ${side} host is not stopped: ${what}` });
    const { producer, tssPeerId, evmAddress } = (await client.identity()) ?? {};
    if (producer && tssPeerId && evmAddress) this.identity = { producer, tssPeerId, evmAddress };
    return status;
  }

  async assertNodeSynced(): Promise<void> {
    const node = await this.deps.readNodeSync();
    if (node.synced) return;
    throw new ProblemError({
      what: `the node of ${this.nameOf("new")} is not synced now: the orchestrator there would wait for it`,
      found: node.why,
      needed: "wait until the node is synced; it is asked again right before the old host's orchestrator stops",
    });
  }

  /** Asserts by the chain that the bridge is live, because getStatus may be older than a halt. */
  async assertBridge(refusal: string): Promise<BridgeNow> {
    const bridge = await this.deps.readBridge();
    const hindrance = checkBridge(bridge, this.inputs.haltedBridge);
    if (hindrance) throw new ProblemError({ ...hindrance, what: `${hindrance.what}: ${refusal}` });
    for (const line of formatBridgeState(bridge)) this.deps.say(line);
    return bridge;
  }

  /** Reads a directory's config.json; undefined if there is none. Secret: contains the pass phrase. */
  async readConfig(side: WhichHost, directory: string): Promise<string | undefined> {
    const variables = markOwn({ file: `${directory}/config.json` });
    return this.sides.call({ side, name: "orchestrator_read", variables }).catch((error: CallError) => {
      // orchestrator_read (orchestrator/archive.sh): no such file.
      if (error.exitCode !== 66) throw error;
      return undefined;
    });
  }

  /** Reads a host's addresses, once: later the host may be gone. Without its answer, returns those that are configured. */
  async readAddresses(side: WhichHost, states: HostStates): Promise<string[]> {
    const configured = [this.sides.roots[side].address, this.inputs.copyAddress];
    if (states[side] && !this.addresses.has(side))
      this.addresses.set(side, parseAddresses(await this.sides.call({ side, name: "orchestrator_addresses" })));
    return [...configured, ...(this.addresses.get(side) ?? [])];
  }
}
