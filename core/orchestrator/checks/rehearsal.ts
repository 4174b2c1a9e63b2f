import { readMoveEvents } from "../../eventLog/eventLog";
import { markOwn } from "../../ssh/foreign";
import type { RootHost } from "../../ssh/root";
import { openStore } from "../../store/openStore";
import type { Store } from "../../store/store";
import type { SecureOptions } from "../hosts/moveInputs";
import { isPillarNode } from "../rules/endpoints";
import { createForecast, type Forecast, type ForecastInputs, formatForecast, parseStops } from "./forecast";
import { formatSurvey } from "./moveSummary";
import type { MoveSurvey } from "./moveSurvey";
import { createRequirements, findBegin } from "./preparation";
import { findMoveProblems } from "./prerequisites";
import { type MoveSurveyDeps, surveyBoth } from "./survey";

interface Rehearsal {
  /** The host whose journal says that the move has begun; then nothing is checked. */
  readonly begun?: string;
  readonly faults: readonly string[];
  readonly shown: readonly string[];
  /** Absent if the old host's directory could not be read. */
  readonly gapSeconds?: Forecast["total"];
}

/** Runs a move's checks, forecasts its gap, writes nothing. @param nodeCounts true if an unsynced node is a problem */
export async function rehearse(options: SecureOptions, nodeCounts: boolean, deps: MoveSurveyDeps): Promise<Rehearsal> {
  const store = openStore(options.backups.directory);
  const found = await surveyBoth({ ...options, backupDirectory: store.directory }, deps);
  const begun = findBegin(found, options.move);
  if (begun !== undefined) return { begun, faults: [], shown: [] };
  const wanted = await createRequirements(options, deps.roots, store);
  const survey = nodeCounts ? found : assumeSyncedNode(found);
  const [faults, shown] = [findMoveProblems(survey, wanted), formatSurvey(survey, wanted)];
  if ("problem" in found.old || found.old.value.facts.directory !== "there") return { faults, shown };
  const measured = await measure(options, found.old.value.facts.bytes, store, deps);
  const forecast = createForecast(measured);
  return { faults, shown: [...shown, ...formatForecast(forecast, measured)], gapSeconds: forecast.total };
}

/** Returns the survey as it will be once the new host's own node is there and synced. */
export function assumeSyncedNode(found: MoveSurvey): MoveSurvey {
  const node = { ...found.node, synced: true };
  if ("problem" in found.new || "problem" in found.old) return { ...found, node };
  const there = found.old.value.endpoints.filter((each) => each.isOwn && isPillarNode(each));
  const reached = [...found.new.value.reached, ...there.map((each) => each.new)];
  return { ...found, node, new: { value: { ...found.new.value, reached } } };
}

async function measure(
  { old: place, move }: SecureOptions,
  bytes: number,
  store: Store,
  { roots, ticks }: MoveSurveyDeps,
): Promise<ForecastInputs> {
  const timed = async (work: Promise<unknown>) => {
    const begin = ticks();
    await work;
    return (ticks() - begin) / 1000;
  };
  const stops = parseStops(await roots.old.call("signer_stops", markOwn({ service: place.service })));
  const readSeconds = await timed(readOnce(roots.old, place.directory));
  const file = markOwn({ file: "/etc/hostname" });
  const callSeconds = await timed(
    Promise.all([roots.old.call("signer_has", file), roots.new.call("signer_has", file).catch(() => "")]),
  );
  const earlier = (await readMoveEvents(store)).flatMap((entry) =>
    entry.event === "done" && entry.move.pillar === move.pillar ? (entry.details.secondsWithoutSigner ?? []) : [],
  );
  return { stops, bytes, readSeconds, callSeconds, earlier };
}

async function readOnce(host: RootHost, directory: string): Promise<void> {
  const { stdout, done } = await host.stream("signer_stream", markOwn({ directory }), { limitSeconds: 3600 });
  stdout.resume();
  await done;
}
