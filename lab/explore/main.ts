import { Command } from "commander";
import { execa } from "execa";
import { exploreMoves, type MovesFlags } from "./moves.ts";
import { firstSeedVariable, roundsVariable } from "./rounds.ts";

const program = new Command("npm run explore --").description("Explorations that take long, by hand: none runs in CI.");

/** The default seed differs from day to day, so that explorations do not repeat each other. */
const today = `${Math.floor(Date.now() / 86_400_000) * 10_000_000}`;

/** Lab tests that play as many rounds as asked for. */
const labTests = [
  ["deaths", "orchestrator/randomDeath", "kills engine, provider or host at random moments of the orchestrator's move"],
  ["journeys", "journey/randomDeath", "the same once in each stage of the whole journey"],
  [
    "switches",
    "orchestrator/wholeWay",
    "moves orchestrator and slots to and fro, and compares `report` with the chain",
  ],
  ["migrations", "cli/migrate", "kills `migrate` at three random moments, and interrupts it at each stage"],
] as const;

for (const [name, file, what] of labTests)
  program
    .command(name)
    .description(what)
    .option("--rounds <n>", "how many", "10")
    .option("--seed <n>", "the first round's seed, where a round is random; each later one has the next", today)
    .action(async ({ rounds, seed }: { rounds: string; seed: string }) => {
      console.log(`seed ${seed}`);
      const env = { [roundsVariable]: rounds, [firstSeedVariable]: seed };
      const run = await execa("lab/run", ["lab/test.ts", file], { env, stdio: "inherit", reject: false });
      process.exitCode = run.exitCode ?? 1;
    });

program
  .command("moves")
  .description("plays what may befall a move against the program's own decisions (lab/README.md)")
  .option("--minutes <n>", "for all of it", "2")
  .option("--seed <n>", "of the random histories", today)
  .option("--depth <n>", "actions of each history in the searches", "4")
  .option("--replay <json>", "plays this history alone")
  .action((flags: MovesFlags) => exploreMoves(flags));

await program.parseAsync();
