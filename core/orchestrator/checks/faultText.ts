import type { Commands } from "../../util/commands";
import type { SideFacts } from "../rules/hostPairFacts";

/** The block of the configuration that a move is in. */
export const key = "pillar-host:orchestrator";

/** Bytes beside what is copied: journals, a configuration rewritten, the node's growth meanwhile. */
export const margin = 64 * 1024 * 1024;

/** One fault of the prerequisites in the operator's words. */
export function fault(what: string, found: string, needed: string, next: string): string {
  return `${what}\n  found: ${found}\n  needed: ${needed}\n  ${next}`;
}

/** Tools that a host lacks, as a fault. */
export function lacking(address: string, { lacks }: SideFacts, run: Commands): string[] {
  if (lacks.length === 0) return [];
  const next = `Install them, then run ${run.up} again.`;
  return [fault(`${address}: tools are missing on the host`, `no ${lacks.join(", no ")}`, "them", next)];
}

/** Bytes for an operator's eyes. */
export function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}
