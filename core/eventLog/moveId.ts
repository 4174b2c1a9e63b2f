import type { StackConfig } from "../config/config";
import { project } from "../config/configFaults";

/** Which move of a signer: of whose stack, and the how-many-eth attempt. */
export interface MoveId {
  readonly project: string;
  readonly stack: string;
  readonly pillar: string;
  /** `orchestrator.attempt`; absent for the last backup of a host that is given up, which is no move. */
  readonly attempt?: number;
}

/** As event log, journals and backups have it: `<project>/<stack>/<Pillar>/<attempt>`. @throws where it would be read as another */
export function moveText(move: MoveId): string {
  const { project, stack, pillar, attempt } = move;
  const text = [project, stack, pillar, ...(attempt === undefined ? [] : [attempt])].join("/");
  const read = parseMove(text);
  if (read && isSameMove(read, move)) return text;
  throw new Error(`no move can be called ${text}\n  needed: names without a slash, and a whole number as attempt`);
}

/** Reads such a text. @returns undefined where it is none */
export function parseMove(text: unknown): MoveId | undefined {
  const parts = typeof text === "string" ? text.split("/") : [];
  const [project, stack, pillar, attempt] = parts;
  if (!project || !stack || !pillar || parts.length > 4) return undefined;
  if (attempt === undefined) return { project, stack, pillar };
  return /^(0|[1-9]\d{0,14})$/.test(attempt) ? { project, stack, pillar, attempt: Number(attempt) } : undefined;
}

/** Whether two moves are of one stack and Pillar, of any attempt. */
export function isSameOwner(a: MoveId, b: MoveId): boolean {
  return a.project === b.project && a.stack === b.stack && a.pillar === b.pillar;
}

/** Whether two are one move. */
export function isSameMove(a: MoveId, b: MoveId): boolean {
  return isSameOwner(a, b) && a.attempt === b.attempt;
}

/** Names an attempt to move the signer: what journals, record and backups are known by. */
export function moveIdOf({ pillar, orchestrator }: StackConfig, stack: string): MoveId {
  return { project, stack, pillar: pillar.name, attempt: orchestrator.attempt };
}
