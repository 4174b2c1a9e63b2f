import type { NodeTarget } from "../chain/node";
import type { LogRef } from "../eventLog/eventLog";
import type { OrchestratorHost } from "../ssh/root";
import type { ChainSources } from "../sync/chainSources";

/** A host whose node has a chain, or is to get it; plain values, secrets among them. */
export interface ChainSide {
  readonly host: OrchestratorHost;
  /** Its node's RPC. */
  readonly node: NodeTarget;
  /** The node's unit, and the directory of its data. */
  readonly service: string;
  readonly dataDir: string;
}

/** What the copy of a chain is made of; plain values, as its provider gets them. */
export interface ChainCopyInputs extends ChainSources {
  readonly stack: string;
  /** What the new host belongs to, written on both. */
  readonly identity: string;
  readonly old: ChainSide;
  readonly new: ChainSide;
  /** How the new host reaches the old one's ssh. */
  readonly copy: { readonly address: string; readonly port: number };
  /** Megabits per second that the copy may take at most; 0: as many as there are. */
  readonly limitMbps: number;
  /** Milliseconds from one momentum to the next. */
  readonly momentum: number;
  readonly record: LogRef;
  /** The script library (core/steps/libraries.ts). */
  readonly library: string;
}

/** What came of it; no secret. */
export interface ChainCopied {
  /** `notNeeded`: the new host's node was synced already. */
  readonly outcome: "copied" | "notNeeded";
  /** ISO 8601. */
  readonly at: string;
  readonly from: string;
  readonly files?: number | undefined;
  readonly bytes?: number | undefined;
  /** From the snapshot to the node that runs with it. */
  readonly seconds?: number | undefined;
  /** Of the old host's momentum that the copy ends with. */
  readonly height?: number | undefined;
  /** The sha256 of the list of all files' hashes. */
  readonly manifest?: string | undefined;
  /** The most that the links kept on the old host beyond its node's own files. */
  readonly extraBytes?: number | undefined;
}
