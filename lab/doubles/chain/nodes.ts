import type { Stall } from "../stalls";
import { defaultNodeSettings } from "./defaults";
import { keptReports, type NodeReport } from "./reports";
import type { NodeSettings, NodeSettingsPatch } from "./settings";

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
