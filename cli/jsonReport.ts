import { doneOn, stageOf, type View } from "./view";

/** The view for programs (pure). Times are ISO 8601. */
export function jsonReport(view: View, exitCode: number): string {
  const { stack, pillar, address, state, held, sync, synced, facts } = view;
  return JSON.stringify(
    {
      stack,
      pillar,
      host: address,
      ...stageOf(view),
      synced,
      looked: exitCode < 2,
      sync: sync?.replace(/^sync: /, ""),
      wait: state.wait,
      done: doneOn(facts),
      pulumi: held?.map(({ lock, holder }) => ({ ...lock, since: new Date(lock.since).toJSON(), run: holder })),
      facts,
    },
    undefined,
    2,
  );
}
