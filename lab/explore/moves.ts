import { minimised, randomHistories, replay } from "../simulation/random.ts";
import { type Found, search } from "../simulation/search.ts";
import { searches } from "../simulation/searches.ts";
import type { Action } from "../simulation/world.ts";

export interface MovesFlags {
  readonly minutes: string;
  readonly seed: string;
  readonly depth: string;
  readonly replay?: string;
}

function fail({ path, why }: Found, seed?: number): void {
  console.log(`\nBROKEN${seed === undefined ? "" : ` by seed ${seed}`}: ${why}\n`);
  for (const action of path) console.log(`  ${JSON.stringify(action)}`);
  console.log(`\nAgain: npm run explore -- moves --replay '${JSON.stringify(path)}'`);
  process.exitCode = 1;
}

/**
 * Plays failures during moves: first all of them to a depth, then random histories for the rest of the time. Sets exit
 * code 1 if a promise is broken.
 */
export async function exploreMoves(values: MovesFlags): Promise<void> {
  if (values.replay !== undefined) {
    const found = await replay(JSON.parse(values.replay) as Action[]);
    if (found) fail(await minimised(found));
    else console.log("every promise was kept");
    return;
  }
  console.log(`seed ${values.seed}`);
  const began = Date.now();
  const end = began + Number(values.minutes) * 60_000;
  const names = Object.keys(searches) as (keyof typeof searches)[];
  for (const [index, name] of names.entries()) {
    // The searches share half of the time; each leaves its rest to the next.
    const until = began + ((end - began) / 2) * ((index + 1) / names.length);
    const { found, ...figures } = await search({ ...searches[name], depth: Number(values.depth), until });
    const { states, transitions, depth, frontier, isExhausted } = figures;
    const how = isExhausted ? "exhausted" : `cut off, frontier ${frontier}`;
    console.log(`${name}: ${states} states, ${transitions} transitions, depth ${depth}: ${how}`);
    if (found) return fail(found);
  }
  const { found, histories, actions } = await randomHistories(Number(values.seed), {
    most: Number.POSITIVE_INFINITY,
    until: end,
  });
  console.log(`random from seed ${values.seed}: ${histories} histories, ${actions} actions`);
  if (found) fail(found, found.seed);
}
