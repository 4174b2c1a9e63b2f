import { Command, InvalidArgumentError } from "commander";
import { type RowName, rowNames } from "./rows";

/** What `npm run bench --` was asked for. */
export interface Asked {
  readonly json: boolean;
  readonly rounds: number;
  /** The least that has a figure for each row: shows that it can be measured, and measures nothing. */
  readonly trial: boolean;
  /** Rows to show; what none of them needs is not measured. */
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

/** @throws CommanderError, whose message says what is wrong and what there is */
export function parseArguments(args: readonly string[]): Asked {
  const program = new Command("npm run bench --")
    .description("Measures the program against its goals, on lab hosts of its own; about forty minutes.")
    .option("--json", "rows of name, value, unit, goal and met instead of the table", false)
    .option("--only <row>", "this row only; may be given again", rowName)
    .option("--rounds <number>", "rounds of each comparison; figures of fewer than 5 say little", count, 5)
    .option("--trial", "one round of the least of each, to see that the bench works; its figures say nothing", false)
    .allowExcessArguments(false)
    .exitOverride()
    // Standard output is the table's.
    .configureOutput({ writeOut: (text) => process.stderr.write(text) });
  const { json, rounds, trial, only } = program
    .parse([...args], { from: "user" })
    .opts<{ json: boolean; rounds: number; trial: boolean; only?: RowName[] }>();
  return { json, rounds: trial ? 1 : rounds, trial, only: only ?? rowNames };
}
