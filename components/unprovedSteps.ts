import type { StackConfig } from "../core/config/config";
import { openStackLog, readStackEventsOrNone } from "./stackLog";

/** Steps that the engine counts as done by their exit code, although they did not report so themselves. */
export interface UnprovedSteps {
  /** Counts that for a resource. The count is an input, so that the next run repeats the step. */
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
