import type { StackConfig } from "../config/config.ts";
import { project } from "../config/configFaults.ts";
import { ProblemError } from "../util/problem.ts";

export interface MoveId {
  readonly project: string;
  readonly stack: string;
  readonly pillar: string;
  /** `orchestrator.attempt`; absent for the final backup before a destroy, which is no move. */
  readonly attempt?: number;
}

/** Formats a move as `<project>/<stack>/<Pillar>/<attempt>`. @throws if it is ambiguous */
export function formatMove(move: MoveId): string {
  const { project, stack, pillar, attempt } = move;
  const text = [project, stack, pillar, ...(attempt === undefined ? [] : [attempt])].join("/");
  const parsed = parseMove(text);
  if (parsed && isSameMove(parsed, move)) return text;
  throw new ProblemError({
    what: `no move can be called ${text}`,
    needed: "use names without a slash, and a whole number as attempt",
  });
}

export function parseMove(text: unknown): MoveId | undefined {
  const parts = typeof text === "string" ? text.split("/") : [];
  const [project, stack, pillar, attempt] = parts;
  if (!project || !stack || !pillar || parts.length > 4) return undefined;
  if (attempt === undefined) return { project, stack, pillar };
  return /^(0|[1-9]\d{0,14})$/.test(attempt) ? { project, stack, pillar, attempt: Number(attempt) } : undefined;
}

/** True if two moves are of one stack and Pillar, whatever their attempts. */
export function isSameOwner(a: MoveId, b: MoveId): boolean {
  return a.project === b.project && a.stack === b.stack && a.pillar === b.pillar;
}

export function isSameMove(a: MoveId, b: MoveId): boolean {
  return isSameOwner(a, b) && a.attempt === b.attempt;
}

export function createMoveId({ stack, pillar, orchestrator }: StackConfig): MoveId {
  return { project, stack, pillar: pillar.name, attempt: orchestrator.attempt };
}
