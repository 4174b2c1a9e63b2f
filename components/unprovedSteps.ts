import type { StackConfig } from "../core/config/config";
import { openStackLog, readStackEventsOrNone } from "./stackLog";

/** Steps that the engine counts as done, by their exit code, but that did not report themselves that they are done. */
export interface UnprovedSteps {
  /** Returns how often this happened to a step. The count is an input of the step, so that the next run repeats it. */
  count(name: string): Promise<number>;
  note(name: string): Promise<unknown>;
}

export function createUnprovedSteps(config: StackConfig): UnprovedSteps {
  const { stack } = config;
  const log = openStackLog(config);
  const read = async () => {
    const events = await readStackEventsOrNone(config);
    return events.flatMap((each) => (each.stack === stack && each.event === "stepUnproved" ? [each.details.step] : []));
  };
  let names: ReturnType<typeof read> | undefined;
  return {
    count: async (name) => {
      names ??= read();
      return (await names).filter((each) => each === name).length;
    },
    note: (name) => log.note({ event: "stepUnproved", details: { step: name } }),
  };
}
