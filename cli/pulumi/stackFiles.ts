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
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  // A key and its file contradict each other.
  const keys = given.flatMap(([path]) => (path.endsWith("privateKeyFile") ? path.replace(/File$/, "") : []));
  await removeSettings(engine, [...without, ...keys]);
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
  /** Prints an alarm after a failure, and returns true if there is one: it says how to continue. */
  readonly isAlarmed?: () => Promise<boolean>;
}

/** Runs `pulumi up` in this terminal, or prints it for the operator. After a failure says how to continue. */
export async function runUp(
  stack: string,
  { up, command, isAlarmed = async () => false }: UpOptions,
  args: readonly string[],
  engine: Pulumi,
): Promise<number> {
  const typed = [commandsFor(stack).up, ...args].join(" ");
  console.log(up ? `running: ${typed}` : `Then:\n  ${typed}`);
  if (!up) return 0;
  const exitCode = await engine.handOver(["up", ...args]);
  // Exit code 10: the run ended without waiting for the sync, and has said so.
  const isOver = exitCode === 0 || (await isAlarmed()) || exitCode === 10;
  if (!isOver && command !== "migrate") printContinuation(`Nothing is lost. ${afterFailure}`);
  return exitCode;
}

/** Returns the stack of a host, by the address in its file; undefined if there is none but `except`. */
export async function findStackOf(address: string, except: string): Promise<string | undefined> {
  const stacks = (await createPulumi("").listStacks()).filter((stack) => stack !== except);
  const read = (stack: string) => findValue(readStackFile(resolveStackFilePath(stack)), ["host", "address"]);
  return stacks.find((stack) => read(stack) === address);
}
