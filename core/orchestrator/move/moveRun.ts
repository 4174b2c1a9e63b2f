import { isIP } from "node:net";
import type { OrchestratorStatus } from "../../chain/orchestrator";
import type { Backup } from "../../eventLog/events";
import { own } from "../../ssh/foreign";
import type { CallError } from "../../ssh/root";
import { commandsFor } from "../../util/commands";
import { bridgeShown } from "../checks/shown";
import { bridgeHinders, notLive } from "../checks/stoppedState";
import { type Copier, createCopier } from "../hosts/copyKey";
import type { HostPair } from "../hosts/hostPair";
import type { MoveInputs } from "../hosts/moveInputs";
import { createProvedCopy, type ProvedCopy } from "../hosts/provedCopy";
import type { Saga, SideName } from "../rules/journal";
import type { Looks } from "../rules/sagaLooks";
import { clientOf, type Verified, type VerifyDeps } from "./verify";

/** What was seen on the way, for outputs and record. */
export interface MoveObservations {
  verified?: Verified;
  lastBackup?: Backup;
  /** Number of the move whose target was started. */
  generation?: number | undefined;
  /** Clock milliseconds. */
  stoppedAt?: number;
  startedAt?: number;
}

/** What a move depends on. */
export interface MoveDeps extends VerifyDeps {
  /** Aborted once nobody waits for the result: the engine was killed. */
  readonly signal?: AbortSignal;
  /** Whether somebody watches this run (core/util/unattended.ts). */
  readonly isWatched: boolean;
}

/** Exit code of signer_read (orchestrator/archive.sh). */
const noSuchFile = 66;

/** One run of a move: both hosts, what it learnt of them, and the questions that its steps ask. */
export class MoveRun {
  readonly seen: MoveObservations;
  readonly copier: Copier;
  readonly copy: ProvedCopy;
  /** Who the orchestrator is, as it answered while it ran. */
  identity: Readonly<Record<string, string>> | undefined;
  /** The config.json that the source left at its stop; the pass phrase is in it. */
  stoppedConfig: string | undefined;
  private readonly addresses: Map<SideName, string[]>;

  constructor(
    readonly inputs: MoveInputs,
    readonly sides: HostPair,
    readonly deps: MoveDeps,
  ) {
    // Here, and not where they are declared: the stored text of a provider has no initializers of fields.
    this.seen = {};
    this.addresses = new Map();
    this.copier = createCopier(inputs, sides, deps.say);
    this.copy = createProvedCopy(inputs, sides, this.copier, deps.say);
  }

  /** Returns what errors and lines call a side. */
  nameOf(side: SideName): string {
    return `the ${side} side (${this.sides.roots[side].address})`;
  }

  /** Asks a side's orchestrator how it is, and who. @throws Error where it may not be stopped now */
  async readStatus(side: SideName): Promise<OrchestratorStatus | undefined> {
    const client = clientOf(this.inputs, this.sides, side, this.deps);
    const status = await client.status();
    const why = notLive(side, status, this.inputs);
    if (why !== undefined) throw new Error(why);
    const who = await client.identity();
    if (who) this.identity = { producer: who.producer, tssPeerId: who.tssPeerId, evmAddress: who.evmAddress };
    return status;
  }

  /** Asserts that the new side's node is synced now. */
  async assertNodeSynced(): Promise<void> {
    const node = await this.deps.lookAtNode();
    if (node.synced) return;
    throw new Error(
      [
        `the node of ${this.nameOf("new")} is not synced now: the orchestrator there would wait for it`,
        `  found: ${node.why}`,
        "  needed: a synced node, asked again right before the old side stops",
      ].join("\n"),
    );
  }

  /** Asserts that the chain's bridge lets a side stop now: the orchestrator's own word may be older than a halt. */
  async assertBridgeLets(side: SideName): Promise<void> {
    const bridge = await this.deps.lookAtBridge();
    const hindrance = bridgeHinders(bridge, this.inputs.haltedBridge, commandsFor(this.inputs.stack));
    if (hindrance === undefined) {
      for (const line of bridgeShown(bridge)) this.deps.say(line);
      return;
    }
    const { what, found, needed, next } = hindrance;
    throw new Error(
      [
        `${what}: the orchestrator of ${this.nameOf(side)} is not stopped`,
        `  found: ${found}`,
        `  needed: ${needed}`,
        `  ${next}`,
      ].join("\n"),
    );
  }

  /** Reads the config.json of a directory on a side; undefined where there is none. The pass phrase is in it. */
  readConfig(side: SideName, saga: Saga, directory: string): Promise<string | undefined> {
    const read = this.sides.call(side, "signer_read", saga, own({ file: `${directory}/config.json` }));
    return read.catch((error: CallError) => {
      if (error.exitCode !== noSuchFile) throw error;
      return undefined;
    });
  }

  /** Reads a side's own addresses, once: they are asked while the orchestrator still signs. */
  async readAddresses(side: SideName, saga: Saga, looks: Looks): Promise<string[]> {
    const known = this.addresses.get(side);
    if (known || looks[side] === "outOfSight") return known ?? [];
    const words = (await this.sides.call(side, "signer_addresses", saga)).split(/\s+/);
    const found = words.filter((each) => isIP(each) !== 0);
    this.addresses.set(side, found);
    return found;
  }
}
