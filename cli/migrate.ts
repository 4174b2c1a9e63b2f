import { setTimeout as sleep } from "node:timers/promises";
import type { RunStep } from "../core/journey/decideJourney.ts";
import { decideMigration, type MigrationInput } from "../core/journey/migration.ts";
import { commandsFor } from "../core/util/commands.ts";
import { ProblemError } from "../core/util/problem.ts";
import type { MoveOptions } from "./edit/moveOrchestrator.ts";
import { createPulumi } from "./pulumi/pulumiCommand.ts";
import { removeSettings } from "./pulumi/stackFiles.ts";
import { shortenStackName } from "./pulumi/stackName.ts";
import { openStack } from "./status/openStack.ts";
import { readFacts } from "./status/readStatus.ts";

const lookupIntervalMs = 30_000;

export interface MigrateOptions extends Omit<MoveOptions, "from" | "up" | "command"> {
  /** True if the operator agrees in advance to everything that can be undone. */
  readonly yes?: boolean;
}

/** Runs step after step until the old stack is destroyed. Returns the exit code. @throws ProblemError if it is stuck */
export async function migrate(
  old: string,
  fresh: string,
  options: MigrateOptions,
  deps = createDeps(old, fresh, options),
): Promise<number> {
  const again = commandsFor(fresh).migrate(old, ...(options.yes ? ["--yes"] : []));
  const refuse = (what: string, needed: string | undefined, ...next: readonly string[]) =>
    new ProblemError({ what, needed, next: [...next.map((line) => line.trim()), `then: ${again}`] });
  deps.say(`You can stop this command at any time. To continue: ${again}`);
  // The new host's first run prints the wallet's step although the orchestrator has not moved yet.
  deps.say("Change nothing in the wallet until this command tells you to.");
  let lastKey = "";
  let lastLine = "";
  for (;;) {
    const { step, lines } = decideMigration(await deps.read());
    if (step.kind === "none") {
      lines.forEach(deps.say);
      return 0;
    }
    if (step.kind === "stop") throw refuse(lines[0] ?? "", undefined, ...lines.slice(1));
    if (step.kind === "wait") {
      if (step.key !== lastKey) ["", ...lines, "Waiting; this command goes on by itself …"].forEach(deps.say);
      lastKey = step.key;
      lastLine = "";
      await deps.sleep(lookupIntervalMs);
      continue;
    }
    if (step.line === lastLine)
      throw refuse(
        `the last command succeeded, but the next step is the same command again: ${step.line}`,
        "read that command's output, and solve the problem that it names",
      );
    lastKey = "";
    lastLine = step.line;
    const isAgreed = options.yes === true && step.isFinal !== true;
    if (!isAgreed && !deps.isTerminal)
      throw refuse(
        `the next step ${step.isFinal ? "can't be undone, or costs money," : "needs a yes,"} and there is no terminal to ask in: ${step.line}`,
        `run this command in a terminal${step.isFinal ? "" : ", or add --yes"}`,
      );
    const exitCode = await runStep(step, isAgreed, deps);
    if (exitCode !== 0) {
      // Exit code 10: the run ended without waiting for the sync (pillar-host:sync.wait).
      const hint = exitCode === 10 ? "Nothing failed. To continue later" : "Solve the problem or answer yes, then run";
      deps.say(`\nStopped at: ${step.line}\n${hint}: ${again}`);
      return exitCode;
    }
  }
}

async function runStep(step: RunStep, isAgreed: boolean, deps: MigrationDeps): Promise<number> {
  if (step.isCheckedFirst) {
    deps.say(`\n> ${commandsFor(step.stack).check()}`);
    const exitCode = await deps.check(step.stack);
    if (exitCode !== 0) return exitCode;
  }
  deps.say(`\n> ${step.line}`);
  // With one of these variables set, pulumi would not ask the operator.
  if (step.isFinal)
    for (const name of ["SKIP_CONFIRMATIONS", "OPTION_YES", "OPTION_SKIP_PREVIEW"])
      delete process.env[`PULUMI_${name}`];
  return deps.run(step, isAgreed ? ["--yes", "--skip-preview"] : []);
}

export type MigrationDeps = ReturnType<typeof createDeps>;

/** Returns the readings, commands and output of a migration; a test replaces them. */
function createDeps(old: string, fresh: string, options: MigrateOptions) {
  return {
    isTerminal: process.stdin.isTTY === true,
    read: () => readStacks(old, fresh),
    /** Runs a command in this terminal. @returns its exit code */
    run: (step: RunStep, args: readonly string[]) => runCommand(step, args, { old, fresh, options }),
    check: (stack: string) => import("./check/check.ts").then(({ check }) => check(stack, {})),
    sleep: (milliseconds: number): Promise<unknown> => sleep(milliseconds),
    say: (line: string) => console.log(line),
  };
}

/** Reads both stacks one after the other, because each may ask for a pass phrase. */
async function readStacks(old: string, fresh: string): Promise<MigrationInput> {
  const stacks = await createPulumi("").listStacks();
  const read = async (name: string) =>
    stacks.includes(name) || stacks.includes(shortenStackName(name)) ? readFacts(await openStack(name)) : undefined;
  return { old, fresh, freshStack: await read(fresh), oldStack: await read(old) };
}

/** Runs a step's command: by this program's code, loaded on demand, or through pulumi. */
async function runCommand(
  step: RunStep,
  args: readonly string[],
  { old, fresh, options }: { readonly old: string; fresh: string; options: MigrateOptions },
): Promise<number> {
  const { stack, command, address = "", key = "" } = step;
  switch (command) {
    case "init":
      return (await import("./init/init.ts")).init(stack, {});
    case "resume":
      return (await import("./resume.ts")).resume(stack, args, {});
    case "adopt":
      return (await import("./edit/adoptHost.ts")).adoptHost(stack, address, args, { like: fresh, up: true });
    case "move": {
      const { moveOrchestrator } = await import("./edit/moveOrchestrator.ts");
      return moveOrchestrator(stack, [], { ...options, from: old, up: false, command: "migrate" });
    }
    case "retire":
      return (await import("./edit/retireHost.ts")).retireHost(stack, args, { successor: fresh, up: true });
    case "withdraw":
      await removeSettings(createPulumi(stack), [key]);
      return 0;
    default:
      return createPulumi(stack).handOver([command, ...args]);
  }
}
