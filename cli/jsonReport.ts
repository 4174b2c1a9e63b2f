import { needsOf } from "./needs";
import { partsJson } from "./parts/partsJson";
import { stageOf } from "./stages";
import { doneOn, type View } from "./view";

/** The view for programs (pure). Times are ISO 8601. */
export function jsonReport(view: View, exitCode: number) {
  const { stack, pillar, address, lifecycle, state, held, sync, synced, facts, parts } = view;
  return {
    stack,
    pillar,
    host: address,
    lifecycle,
    ...stageOf(view),
    needs: needsOf(view),
    synced,
    looked: exitCode < 2,
    sync: sync?.replace(/^sync: /, ""),
    wait: state.wait,
    done: doneOn(facts),
    pulumi: held?.map(({ lock, holder }) => ({ ...lock, since: new Date(lock.since).toJSON(), run: holder })),
    ...(parts ? partsJson(parts) : {}),
    facts,
  };
}
