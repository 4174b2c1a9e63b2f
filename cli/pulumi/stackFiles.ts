import { findValue } from "../../core/config/config.ts";
import { readStackFile } from "../../core/config/secretKeys.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { afterFailure, printContinuation } from "../terminal/interruption.ts";
import { createPulumi, type Pulumi } from "./pulumiCommand.ts";
import { resolveStackFilePath } from "./stackName.ts";

/** Values for a stack's file that are no secrets, by path below `pillar-host:`. */
export type PlainSettings = Readonly<Record<string, string | number | undefined>>;

/** Removes the keys `without` from a stack's file, then sets the others. @throws Refusal with pulumi's error */
export async function writeSettings(
  engine: Pulumi,
  settings: PlainSettings,
  without: readonly string[] = [],
): Promise<void> {
  await removeSettings(engine, without);
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  await engine.read([
    ...["config", "set-all", "--path"],
    ...given.flatMap(([path, value]) => ["--plaintext", `pillar-host:${path}=${value}`]),
  ]);
}

export async function removeSettings(engine: Pulumi, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await engine.read(["config", "rm-all", "--path", ...keys.map((path) => `pillar-host:${path}`)]);
}

export interface UpOptions {
  /** False if `pulumi up` is printed in place of being run. */
  readonly up: boolean;
  /** The command that runs this one as a step, and says itself how to continue. */
  readonly command?: "migrate";
}

export async function runOrPrintUp(
  stack: string,
  { up, command }: UpOptions,
  args: readonly string[],
  engine: Pulumi,
): Promise<number> {
  if (up) return runUp(stack, args, engine, { isSaid: command === "migrate" });
  console.log(`Then:\n  ${formatUpCommand(stack, args)}`);
  return 0;
}

/** Runs `pulumi up` in this terminal. After a failure says how to continue, unless it `isSaid` or an alarm says it. */
export async function runUp(
  stack: string,
  args: readonly string[],
  engine: Pulumi,
  { isSaid = false, isAlarmed = async () => false },
): Promise<number> {
  console.log(`running: ${formatUpCommand(stack, args)}`);
  const exitCode = await engine.handOver(["up", ...args]);
  // Exit code 10: the run ended without waiting for the sync, and has said so.
  const isOver = exitCode === 0 || (await isAlarmed()) || exitCode === 10;
  if (!isOver && !isSaid) printContinuation(`Nothing is lost. ${afterFailure}`);
  return exitCode;
}

const formatUpCommand = (stack: string, args: readonly string[]) => [commandsFor(stack).up, ...args].join(" ");

/** Returns the stack of a host, by the address in its file; undefined if there is none but `except`. */
export async function findStackOf(address: string, except: string): Promise<string | undefined> {
  const stacks = (await createPulumi("").listStacks()).filter((stack) => stack !== except);
  const read = (stack: string) => findValue(readStackFile(resolveStackFilePath(stack)), ["host", "address"]);
  return stacks.find((stack) => read(stack) === address);
}
