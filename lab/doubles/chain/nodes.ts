import { z } from "zod";
import type { Stall } from "../stalls.ts";
import { defaultNodeSettings, defaultOrchestratorSettings } from "./defaults.ts";
import type { NodeSettings, NodeSettingsPatch, OrchestratorSettings, OrchestratorSettingsPatch } from "./settings.ts";

/** A node's report about itself, sent about every second. */
export const nodeReportSchema = z.strictObject({
  height: z.number().int().nonnegative(),
  /** State that the node's RPC returns. */
  state: z.number().int(),
  /** True if the node really is synced: it has the network's height, and it has peers. */
  synced: z.boolean(),
  /** Null if no producer is configured. */
  producerAddress: z.string().nullable(),
  /** Start of the process, in milliseconds. */
  startedAt: z.number(),
  /** Height of the node's chain at the start of the process. */
  startHeight: z.number().int().nonnegative(),
  /** True in the last report of a process that shuts down cleanly. */
  stopped: z.boolean().optional(),
  /** Times since the previous report in which the process was not run. */
  stalls: z.array(z.strictObject({ from: z.number(), to: z.number() })).optional(),
});

/** A report with the time of its arrival. */
export type NodeReport = z.infer<typeof nodeReportSchema> & { at: number };

/** A node that sends no report for this long counts as down. */
export const liveMs = 3000;

/** Older reports are dropped: a sync of several days must not fill the memory. */
const keptReports = 20_000;

/** The nodes' commanded behavior and their reports. */
export class Nodes {
  /** Settings of every node that has none of its own. */
  defaults: NodeSettings = { ...defaultNodeSettings };
  /** Reports by name, oldest first. */
  readonly reports = new Map<string, NodeReport[]>();
  private readonly overrides = new Map<string, NodeSettingsPatch>();

  /** Returns the names of all nodes that have settings or sent a report. */
  names(): string[] {
    return [...new Set([...this.overrides.keys(), ...this.reports.keys()])].sort();
  }

  settings(name: string): NodeSettings {
    return merge(this.defaults, this.overrides.get(name) ?? {});
  }

  patch(name: string, patch: NodeSettingsPatch): void {
    this.overrides.set(name, { ...this.overrides.get(name), ...patch });
  }

  keep(name: string, report: NodeReport): void {
    const history = this.reports.get(name) ?? [];
    history.push(report);
    if (history.length > keptReports) history.splice(0, history.length - keptReports);
    this.reports.set(name, history);
  }

  /** Returns the times in which nodes were not run by their machine. */
  stalls(): Stall[] {
    return [...this.reports.values()].flatMap((history) => history.flatMap(({ stalls = [] }) => stalls));
  }
}

/** Returns `base` with the defined values of `patch`. */
export function merge<T extends object>(base: T, patch: { [K in keyof T]?: T[K] | undefined }): T {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(given) };
}

/** An orchestrator's own settings and commands. */
export type OrchestratorView = ReturnType<Orchestrators["view"]>;

/** Commands to orchestrators, by the name of their host. */
export class Orchestrators {
  private readonly overrides = new Map<string, OrchestratorSettingsPatch>();
  private readonly keyGenerations = new Map<string, number>();

  view(name: string) {
    return {
      name,
      settings: merge<OrchestratorSettings>(defaultOrchestratorSettings, this.overrides.get(name) ?? {}),
      /** Commanded key generations. An orchestrator takes part if the number has risen since its start. */
      keyGenerations: this.keyGenerations.get(name) ?? 0,
    };
  }

  patch(name: string, patch: OrchestratorSettingsPatch) {
    this.overrides.set(name, { ...this.overrides.get(name), ...patch });
    return this.view(name);
  }

  /** Commands a key generation. Only a running orchestrator takes part. */
  generateKey(name: string) {
    this.keyGenerations.set(name, this.view(name).keyGenerations + 1);
    return this.view(name);
  }
}
