/** Which move of a signer: of whose stack, and the how-many-eth attempt. */
export interface MoveId {
  readonly project: string;
  readonly stack: string;
  readonly pillar: string;
  /** `orchestrator.attempt`; absent for the last backup of a host that is given up, which is no move. */
  readonly attempt?: number;
}

/** As event log, journals and backups have it (pure): `<project>/<stack>/<Pillar>/<attempt>`. */
export function moveText({ project, stack, pillar, attempt }: MoveId): string {
  return [project, stack, pillar, ...(attempt === undefined ? [] : [attempt])].join("/");
}

/** Reads such a text (pure). @returns undefined where it is none */
export function parseMove(text: unknown): MoveId | undefined {
  const parts = typeof text === "string" ? text.split("/") : [];
  const [project, stack, pillar, attempt] = parts;
  if (!project || !stack || !pillar || parts.length > 4) return undefined;
  if (attempt === undefined) return { project, stack, pillar };
  return /^\d+$/.test(attempt) ? { project, stack, pillar, attempt: Number(attempt) } : undefined;
}

/** Whether two moves are of one stack and Pillar, of any attempt (pure). */
export function isSameOwner(a: MoveId, b: MoveId): boolean {
  return a.project === b.project && a.stack === b.stack && a.pillar === b.pillar;
}

/** Whether two are one move (pure). */
export function isSameMove(a: MoveId, b: MoveId): boolean {
  return isSameOwner(a, b) && a.attempt === b.attempt;
}
