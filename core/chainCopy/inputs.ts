import type { NodeTarget } from "../chain/node";
import type { LogRef } from "../eventLog/eventLog";
import type { EventDetails } from "../eventLog/events";
import type { OrchestratorHost } from "../ssh/root";
import type { ChainSources } from "../sync/chainSources";

/** The old or the new host of a copy; can be stored as JSON, and holds secrets. */
export interface CopyHost {
  readonly host: OrchestratorHost;
  readonly node: NodeTarget;
  readonly service: string;
  readonly dataDir: string;
}

/** Inputs of the provider of a chain copy; can be stored as JSON. */
export interface ChainCopyInputs extends ChainSources {
  readonly stack: string;
  /** Identity of the new host's stack, written on both hosts. */
  readonly identity: string;
  readonly old: CopyHost;
  readonly new: CopyHost;
  /** Address of the old host's sshd, as the new host reaches it. */
  readonly copy: { readonly address: string; readonly port: number };
  /** Most megabits per second that the copy may use; 0 for no limit. */
  readonly limitMbps: number;
  /** Milliseconds from one momentum to the next. */
  readonly momentum: number;
  readonly record: LogRef;
  readonly library: string;
}

/** Facts of a copy, as in the event log. */
export type CopyFacts = EventDetails["chainCopied"];

/** Outputs of a chain copy; no secret. */
export interface ChainCopied extends Partial<CopyFacts> {
  /** `notNeeded`: the new host's node was already synced. */
  readonly outcome: "copied" | "notNeeded";
  /** ISO 8601. */
  readonly at: string;
  readonly from: string;
}
