import { Command, InvalidArgumentError } from "commander";
import { type RowName, rowNames } from "./rows.ts";

/** Options of `npm run bench --`. */
export interface Asked {
  readonly rounds: number;
  /** Size of the chain copied over a link, and rate of the link. */
  readonly gigabytes: number;
  readonly mbps: number;
  /** Rows to show. A measurement that none of them needs does not run. */
  readonly only: readonly RowName[];
}

function rowName(name: string, before: readonly RowName[] = []): RowName[] {
  const known = rowNames.find((candidate) => candidate === name);
  if (!known) throw new InvalidArgumentError(`the rows are: ${rowNames.join(", ")}`);
  return [...before, known];
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("needed a number from 1");
  return value;
}

/** Parses the command line. @throws CommanderError that says what is wrong and what the options are */
export function parseArguments(args: readonly string[]): Asked {
  const program = new Command("npm run bench --")
    .description("Measures the program against its goals, on lab hosts of its own; about thirty minutes.")
    .option("--only <row>", "this row only; may be given again", rowName)
    .option("--rounds <number>", "rounds of each comparison; figures of fewer than 5 say little", count, 5)
    .option("--gigabytes <number>", "size of the chain that is copied over a link", count, 1)
    .option("--mbps <number>", "rate of that link, in Mbit/s", count, 1000)
    .allowExcessArguments(false)
    .exitOverride()
    // Standard output is for the table.
    .configureOutput({ writeOut: (text) => process.stderr.write(text) });
  const { only = rowNames, ...asked } = program
    .parse([...args], { from: "user" })
    .opts<Omit<Asked, "only"> & Partial<Asked>>();
  return { ...asked, only };
}
