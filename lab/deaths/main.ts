import { parseArgs } from "node:util";
import { execa } from "execa";
import { deathsVariable, firstSeedVariable } from "./variables";

/**
 * `npm run deaths -- --rounds 30 --seed 7`: the rounds of test/lab/orchestrator/randomDeath.long.test.ts, a line for each with
 * its seed, by which it is played again. Ended in the middle it goes on with the next seed.
 */
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "10" }, seed: { type: "string", default: "1" } },
});
const env = { [deathsVariable]: values.rounds, [firstSeedVariable]: values.seed };
const { exitCode = 1 } = await execa("lab/run", ["lab/test.ts", "orchestrator/randomDeath"], {
  ...{ env, stdio: "inherit", reject: false },
});
process.exitCode = exitCode;
