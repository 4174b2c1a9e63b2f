import type { RpcClock } from "../../chain/orchestrator";
import { readMoveEvents } from "../../eventLog/eventLog";
import { markOwn } from "../../ssh/foreign";
import type { RootHost } from "../../ssh/root";
import { openStore } from "../../store/openStore";
import type { Store } from "../../store/store";
import { isPillarNode } from "../rules/endpoints";
import { createForecast, type Forecast, type ForecastInputs, parseStops } from "./forecast";
import { formatSurvey } from "./moveSummary";
import type { MoveSurvey } from "./moveSurvey";
import { createRequirements, findBegin, type SecureOptions } from "./preparation";
import { findMoveProblems } from "./prerequisites";
import { type ChainReaders, surveyBoth } from "./survey";

interface RehearsalDeps extends RpcClock, ChainReaders {
  readonly roots: { readonly old: RootHost; readonly new: RootHost };
}

interface Rehearsal {
  /** The host whose journal says that the move has begun; then nothing is checked. */
  readonly begun?: string;
  readonly faults: readonly string[];
  readonly shown: readonly string[];
  /** Absent if the old host's directory could not be read. */
  readonly gap?: { readonly forecast: Forecast; readonly measured: ForecastInputs };
}

/** Runs a move's checks, forecasts its gap, writes nothing. @param nodeCounts true if an unsynced node is a problem */
export async function rehearse(options: SecureOptions, nodeCounts: boolean, deps: RehearsalDeps): Promise<Rehearsal> {
  const { roots } = deps;
  const store = openStore(options.backups.directory);
  const found = await surveyBoth(roots, { ...options, backupDirectory: store.directory }, deps, deps);
  const begun = findBegin(found, options.move);
  if (begun !== undefined) return { begun, faults: [], shown: [] };
  const wanted = await createRequirements(options, roots, store);
  const survey = nodeCounts ? found : assumeSyncedNode(found);
  const base = { faults: findMoveProblems(survey, wanted), shown: formatSurvey(survey, wanted) };
  if ("problem" in found.old || found.old.value.facts.directory !== "there") return base;
  const measured = await measure(options, store, deps);
  return { ...base, gap: { measured, forecast: createForecast(measured) } };
}

/** Returns the survey as it will be once the new host's own node is there and synced. */
export function assumeSyncedNode(found: MoveSurvey): MoveSurvey {
  const node = { ...found.node, synced: true };
  if ("problem" in found.new || "problem" in found.old) return { ...found, node };
  const there = found.old.value.endpoints.filter((each) => each.isOwn && isPillarNode(each));
  const reached = [...found.new.value.reached, ...there.map((each) => each.new)];
  return { ...found, node, new: { value: { ...found.new.value, reached } } };
}

async function measure(options: SecureOptions, store: Store, deps: RehearsalDeps): Promise<ForecastInputs> {
  const { old, new: fresh } = deps.roots;
  const timed = async <T>(work: Promise<T>) => {
    const begin = deps.ticks();
    const value = await work;
    return { value, seconds: (deps.ticks() - begin) / 1000 };
  };
  const stops = await old.call("signer_stops", markOwn({ service: options.old.service }));
  const read = await timed(bytesOf(old, options.old.directory));
  const file = markOwn({ file: "/etc/hostname" });
  const called = await timed(
    Promise.all([old.call("signer_has", file), fresh.call("signer_has", file).catch(() => "")]),
  );
  const { pillar } = options.move;
  const earlier = (await readMoveEvents(store)).flatMap((entry) => {
    if (entry.event !== "done" || entry.move.pillar !== pillar) return [];
    const { secondsWithoutSigner: seconds } = entry.details;
    return seconds === undefined ? [] : [seconds];
  });
  return {
    stops: parseStops(stops),
    bytes: read.value,
    readSeconds: read.seconds,
    callSeconds: called.seconds,
    earlier,
  };
}

/** Counts a directory's bytes by reading it once. */
async function bytesOf(host: RootHost, directory: string): Promise<number> {
  const { stdout, done } = await host.stream("signer_stream", markOwn({ directory }), { limitSeconds: 3600 });
  let bytes = 0;
  stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await done;
  return bytes;
}
