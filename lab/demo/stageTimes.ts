/** Duration of a resource's creation. */
export interface StageTime {
  readonly name: string;
  readonly milliseconds: number;
}

interface EngineEvent {
  /** Unix seconds. */
  readonly timestamp: number;
  readonly resourcePreEvent?: { readonly metadata: { readonly urn: string; readonly op: string } };
  readonly resOutputsEvent?: { readonly metadata: { readonly urn: string } };
}

/** Parses the engine's event log, a JSON object in each line, in the order in which the resources were started. */
export function stageTimes(eventLog: string): StageTime[] {
  const begun = new Map<string, number>();
  const times: StageTime[] = [];
  for (const line of eventLog.split("\n").filter(Boolean)) {
    const event = JSON.parse(line) as EngineEvent;
    const before = event.resourcePreEvent?.metadata.urn;
    const after = event.resOutputsEvent?.metadata.urn;
    if (before) begun.set(before, event.timestamp);
    const start = after === undefined ? undefined : begun.get(after);
    if (after && start !== undefined) {
      times.push({ name: after.split("::").at(-1) ?? after, milliseconds: (event.timestamp - start) * 1000 });
    }
  }
  return times;
}
