export type Stage =
  | ("stopping" | "fenced" | "moved" | "restoring" | "restored")
  | ("staging" | "staged" | "switched" | "starting" | "running" | "abandoned");

/** The meaning of a stage. Every decision goes by this table, or by a single stage. */
interface StageMeaning {
  /** The host's role in the move. */
  readonly role: "source" | "target";
  /** The move has begun to change the orchestrator on this host, and has not ended. */
  readonly isOpen?: true;
  /** An orchestrator may run on this host. */
  readonly mayRun?: true;
  /** The key is on this host: at rest, or with a start that was not verified yet. */
  readonly key?: "rests" | "starts";
  /** `part`: nothing but a copy was made. Before a `whole` one the source fenced itself, unless it is a backup's. */
  readonly copy?: "part" | "whole";
  /** Stages of the same saga that it follows; any stage if left out. */
  readonly after?: readonly Stage[];
}

/** Stages in order, those of a rollback last. */
const stages: Readonly<Record<Stage, StageMeaning>> = {
  stopping: { role: "source", isOpen: true, mayRun: true },
  fenced: { role: "source", isOpen: true, after: ["stopping"] },
  moved: { role: "source" },
  restoring: { role: "source", isOpen: true, mayRun: true, after: ["stopping", "fenced", "restored"] },
  restored: { role: "source", mayRun: true, key: "rests", after: ["restoring"] },
  staging: { role: "target", copy: "part" },
  staged: { role: "target", isOpen: true, copy: "whole", after: ["staging"] },
  switched: { role: "target", isOpen: true, copy: "whole", after: ["staged"] },
  starting: { role: "target", isOpen: true, mayRun: true, key: "starts", copy: "whole", after: ["switched"] },
  running: { role: "target", mayRun: true, key: "rests", copy: "whole", after: ["starting"] },
  abandoned: { role: "target", copy: "part" },
};

export const stageNames = Object.keys(stages) as readonly Stage[];

/** Returns what the stage means; nothing without a journal. */
export const lookUpStage = (stage: string | undefined): Partial<StageMeaning> =>
  stage !== undefined && Object.hasOwn(stages, stage) ? stages[stage as Stage] : {};
