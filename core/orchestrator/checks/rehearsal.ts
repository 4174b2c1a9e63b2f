import { readMoveEvents } from "../../eventLog/eventLog.ts";
import { markOwn } from "../../ssh/foreign.ts";
import { openStore } from "../../store/openStore.ts";
import { formatDuration } from "../../util/timeText.ts";
import type { SecureOptions } from "../hosts/moveInputs.ts";
import { findBegin } from "./preparation.ts";
import { findMoveProblems, formatSurvey } from "./prerequisites.ts";
import { createRequirements, type MoveSurvey, type MoveSurveyDeps, surveyBoth } from "./survey.ts";

/**
 * Runs a move's checks, forecasts its gap, writes nothing. Checks nothing if the move has begun: `begun` is the host whose
 * journal says so. Forecasts nothing if the old host's directory can't be read. @param nodeCounts true if an unsynced
 * node is a problem
 */
export async function rehearse(options: SecureOptions, nodeCounts: boolean, deps: MoveSurveyDeps) {
  const store = openStore(options.backups.directory);
  const wanted = await createRequirements(options, deps.roots, store);
  const found = await surveyBoth(wanted, deps);
  const begun = findBegin(found, options.move);
  if (begun !== undefined) return { begun, faults: [], shown: [] };
  const survey = nodeCounts ? found : assumeSyncedNode(found);
  const [faults, shown] = [findMoveProblems(survey, wanted), formatSurvey(survey, wanted)];
  if ("problem" in found.old || found.old.value.facts.directory !== "there") return { faults, shown };
  const earlier = (await readMoveEvents(store)).flatMap((entry) =>
    entry.event === "done" && entry.move.pillar === options.move.pillar
      ? (entry.details.secondsWithoutSigner ?? [])
      : [],
  );
  const forecast = createForecast({ ...(await measure(options, deps)), bytes: found.old.value.facts.bytes, earlier });
  return { faults, shown: [...shown, ...forecast.lines], gapSeconds: forecast.total };
}

/** Returns the survey as it will be once the new host's own node is there and synced. */
export function assumeSyncedNode(found: MoveSurvey): MoveSurvey {
  const node = { ...found.node, synced: true };
  if ("problem" in found.new || "problem" in found.old) return { ...found, node };
  const there = found.old.value.endpoints.filter(({ isOwn, network }) => isOwn && network === "Zenon");
  const reached = [...found.new.value.reached, ...there.map((each) => each.new)];
  return { ...found, node, new: { value: { ...found.new.value, reached } } };
}

/** Measures a reading of the old host's whole directory, and a call on both hosts at once. */
async function measure({ old: { directory } }: SecureOptions, { roots, ticks }: MoveSurveyDeps) {
  const timed = async (work: () => Promise<unknown>) => {
    const begin = ticks();
    await work();
    return (ticks() - begin) / 1000;
  };
  const readSeconds = await timed(async () => {
    const { stdout, done } = await roots.old.stream("orchestrator_stream", markOwn({ directory }), {
      limitSeconds: 3600,
    });
    stdout.resume();
    await done;
  });
  const file = markOwn({ file: "/etc/hostname" });
  const callSeconds = await timed(() =>
    Promise.all([roots.old.call("orchestrator_has", file), roots.new.call("orchestrator_has", file).catch(() => "")]),
  );
  return { readSeconds, callSeconds };
}

/** Measurements, the directory's size, and the seconds without an orchestrator in earlier moves. */
type ForecastInputs = Awaited<ReturnType<typeof measure>> & {
  readonly bytes: number;
  readonly earlier: readonly number[];
};

/** Expected seconds without an orchestrator. No `most` before the first move: no start can be tried while the old host signs. */
export type Forecast = ReturnType<typeof createForecast>;

/** Number of calls, one after another, between stop and start. */
const calls = { least: 4, most: 12 };

/** Forecasts the time without an orchestrator: by earlier moves, else copying what changed (at worst all). */
export function createForecast({ bytes, readSeconds, callSeconds, earlier }: ForecastInputs) {
  const copy = { least: calls.least * callSeconds, most: calls.most * callSeconds + 2 * readSeconds };
  const total: { readonly least: number; readonly most?: number } =
    earlier.length === 0
      ? { least: copy.least }
      : { least: 0.6 * Math.min(...earlier), most: Math.max(1.5 * Math.max(...earlier) + 1, copy.most) };
  const rate = readSeconds > 0 ? ` at ${(bytes / 1e6 / readSeconds).toFixed(1)} MB/s` : "";
  const gap =
    total.most === undefined
      ? `at least ${formatSeconds(total.least)}, plus the stop and the start, which were not measured yet`
      : `${formatRange({ least: total.least, most: total.most })}, by earlier moves`;
  const lines = [
    `the bridge will be without this orchestrator for ${gap}`,
    `  rest of the copy: ${formatRange(copy)} (a trial read ${(bytes / 1e6).toFixed(1)} MB${rate})`,
  ];
  return { total, lines };
}

const formatRange = ({ least, most }: { readonly least: number; readonly most: number }) =>
  `${formatSeconds(least)} to ${formatSeconds(most)}`;
const formatSeconds = (seconds: number) => (seconds < 60 ? `${seconds.toFixed(1)} s` : formatDuration(seconds * 1000));
