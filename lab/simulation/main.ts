import { parseArgs } from "node:util";
import { minimised, randomHistories, replay } from "./random";
import { type Found, search } from "./search";
import { searches } from "./searches";
import type { Action } from "./world";

/**
 * `npm run simulate -- --minutes 10 --seed N --depth D`: what may befall a move, played against the program's own
 * decisions; first all of it to a depth, then random histories. `--replay 'JSON'` plays one history.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    // Of each day others, and none twice in a year.
    seed: { type: "string", default: `${Math.floor(Date.now() / 86_400_000) * 10_000_000}` },
    depth: { type: "string", default: "4" },
    replay: { type: "string" },
  },
});

function fail({ path, why }: Found, seed?: number): void {
  console.log(`\nBROKEN${seed === undefined ? "" : ` by seed ${seed}`}: ${why}\n`);
  for (const action of path) console.log(`  ${JSON.stringify(action)}`);
  console.log(`\nAgain: npm run simulate -- --replay '${JSON.stringify(path)}'`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
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
    // Half of the time for all of them; what one does not need is left to the next.
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

await main();
