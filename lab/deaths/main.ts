import { parseArgs } from "node:util";
import { execa } from "execa";
import { deathsVariable, firstSeedVariable } from "./variables";

/**
 * `npm run deaths -- --rounds 30 --seed 7`: the rounds of test/lab/orchestrator/randomDeath.long.test.ts, a line for each with
 * its seed, by which it is played again; with `--journey` those of test/lab/journey/randomDeath.long.test.ts, each a whole
 * journey with a death in each of its stages. Ended in the middle it goes on with the next seed.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    journey: { type: "boolean", default: false },
  },
});
const env = { [deathsVariable]: values.rounds, [firstSeedVariable]: values.seed };
const file = values.journey ? "journey/randomDeath" : "orchestrator/randomDeath";
const { exitCode = 1 } = await execa("lab/run", ["lab/test.ts", file], {
  ...{ env, stdio: "inherit", reject: false },
});
process.exitCode = exitCode;
