import { setTimeout as sleep } from "node:timers/promises";
import type { RunStep } from "../core/journey/decideNextStep.ts";
import { decideMigration, type MigrationInput } from "../core/journey/migration.ts";
import { commandsFor } from "../core/util/commands.ts";
import { ProblemError } from "../core/util/problem.ts";
import { formatOptions, type MoveOptions } from "./edit/moveOrchestrator.ts";
import { createPulumi } from "./pulumi/pulumiCommand.ts";
import { removeSettings } from "./pulumi/stackFiles.ts";
import { shortenStackName } from "./pulumi/stackName.ts";
import { openStack } from "./status/openStack.ts";
import { readFacts } from "./status/readStatus.ts";
import { afterFailure } from "./terminal/interruption.ts";
import { askConfirmation, isTerminal } from "./terminal/prompts.ts";

const lookupIntervalMs = 30_000;

export interface MigrateOptions extends Omit<MoveOptions, "from" | "up" | "command"> {
  /** True if the operator agrees in advance to what can be undone and costs nothing. */
  readonly yes?: boolean;
}

/** Runs step after step until the old stack is destroyed. Returns the exit code. @throws ProblemError if it is stuck */
export async function migrate(
  old: string,
  fresh: string,
  options: MigrateOptions,
  deps = createDeps(old, fresh),
): Promise<number> {
  const again = commandsFor(fresh).migrate(old, ...formatOptions(options));
  const refuse = (what: string, needed: string | undefined, ...next: readonly string[]) =>
    new ProblemError({ what, needed, next: [...next.map((line) => line.trim()), `then: ${again}`] });
  let given: MigrateOptions | undefined;
  let lastKey = "";
  let lastLine = "";
  const read = async () => {
    if (lastKey === "") deps.say(`Reading ${old} and ${fresh} …`);
    const input = await deps.read();
    return { input, ...decideMigration(input) };
  };
  await deps.unlock();
  for (let isFirst = true; ; isFirst = false) {
    const { input, step, lines, before } = await read();
    if (before === "noSigner") lines.slice(0, 2).forEach(deps.say);
    if (isFirst) {
      deps.say(`Stop at any time with Ctrl-C. To continue: ${again}`);
      // The new host's first run prints the wallet's step although the orchestrator has not moved yet.
      deps.say("Change nothing in the wallet until this command tells you to.");
    }
    if (step.kind === "none") {
      lines.forEach(deps.say);
      return 0;
    }
    if (step.kind === "stop") throw refuse(lines[0] ?? "", undefined, ...lines.slice(1));
    if (step.kind === "wait") {
      if (step.key !== lastKey) formatWait(lines, fresh).forEach(deps.say);
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
    const isAgreed = step.isHarmless === true || (options.yes === true && step.isFinal !== true);
    if (!isAgreed && !deps.isTerminal)
      throw refuse(
        `the next step ${step.isFinal ? "can't be undone, or costs money," : "needs a yes,"} and there is no terminal to ask in: ${step.line}`,
        `run this command in a terminal${step.isFinal ? "" : ", or add --yes"}`,
      );
    const isEarly = input.freshStack !== undefined && ["up", "adopt", "move"].includes(step.command);
    if (given === undefined && isEarly) given = await deps.askAhead(input, options);
    const exitCode = await runStep(step, isAgreed, deps, given ?? options);
    if (exitCode !== 0) {
      // Exit code 10: the run ended without waiting for the sync (pillar-host:sync.wait).
      const mayBeCutOff = step.isFinal && ["up", "resume"].includes(step.command) && exitCode !== 10;
      const after = mayBeCutOff ? await read().catch(() => undefined) : undefined;
      const kept = after || !mayBeCutOff ? "Nothing is lost. " : "";
      const hint = exitCode === 10 ? "Nothing failed. To continue later:" : `${kept}${afterFailure}`;
      if (after?.before === "noSigner") ["", ...after.lines.slice(0, 2), `  ${again}`].forEach(deps.say);
      else deps.say(`\nStopped at: ${step.line}\n${hint}\n  ${again}`);
      return exitCode;
    }
  }
}

/** Leaves out the command that this one runs by itself. */
const formatWait = (lines: readonly string[], fresh: string): string[] => [
  "",
  ...lines.filter((line) => !line.includes(commandsFor(fresh).up)),
  "Waiting; this command goes on by itself …",
  "It asks you again (yes) before it changes anything.",
];

async function runStep(
  step: RunStep,
  isAgreed: boolean,
  deps: MigrationDeps,
  options: MigrateOptions,
): Promise<number> {
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
  return deps.run(step, isAgreed ? ["--yes", "--skip-preview"] : [], options);
}

export type MigrationDeps = ReturnType<typeof createDeps>;

/** Returns the readings, questions, commands and output of a migration; a test replaces them. */
function createDeps(old: string, fresh: string) {
  return {
    isTerminal: isTerminal(),
    /** Asks for the pass phrase now, because a later question would come in the middle of the night. */
    unlock: async () => {
      for (const name of isTerminal() ? await findStacks(old, fresh) : [])
        await createPulumi(name).read(["stack", "export", "--show-secrets"]);
    },
    read: () => readStacks(old, fresh),
    askAhead: (input: MigrationInput, options: MigrateOptions) => askAhead(input, options),
    /** Runs a command in this terminal. @returns its exit code */
    run: (step: RunStep, args: readonly string[], options: MigrateOptions) =>
      runCommand(step, args, { old, fresh, options }),
    check: (stack: string) => import("./check/check.ts").then(({ check }) => check(stack, {})),
    sleep: (milliseconds: number): Promise<unknown> => sleep(milliseconds),
    say: (line: string) => console.log(line),
  };
}

/** Asks before the first run for what the orchestrator's move needs, if one runs on the old host. @throws ProblemError */
async function askAhead({ old, fresh, oldStack }: MigrationInput, given: MigrateOptions): Promise<MigrateOptions> {
  const { config } = await openStack(fresh);
  if (config.oldHost === undefined || config.orchestrator.move || oldStack?.lifecycle === "retiring") return given;
  const { readOldOrchestrator } = await import("./status/parts/readParts.ts");
  const found = await readOldOrchestrator(config);
  const question = `The old host (${config.oldHost.address}) does not answer now. Does it run the bridge's orchestrator?`;
  const runs = found?.active ?? (isTerminal() && (await askConfirmation(question)));
  if (!runs) return given;
  const { askRelease, confirmFirstMove, findReleaseProblem } = await import("./edit/moveOrchestrator.ts");
  const options = { ...given, ...(await askRelease(config, given)) };
  const what = findReleaseProblem(fresh, config, { ...options, from: old, command: "migrate" });
  if (what !== undefined) throw new ProblemError({ what });
  const word = await confirmFirstMove(fresh, config, options);
  return { ...options, firstMove: options.firstMove || word !== undefined };
}

/** Returns those of the two stacks that exist. */
async function findStacks(...names: readonly string[]): Promise<readonly string[]> {
  const stacks = await createPulumi("").listStacks();
  return names.filter((name) => stacks.includes(name) || stacks.includes(shortenStackName(name)));
}

/** Reads both stacks one after the other, because each may ask for a pass phrase. */
async function readStacks(old: string, fresh: string): Promise<MigrationInput> {
  const stacks = await findStacks(old, fresh);
  const read = async (name: string) => (stacks.includes(name) ? readFacts(await openStack(name)) : undefined);
  return { old, fresh, freshStack: await read(fresh), oldStack: await read(old) };
}

/** Runs a step's command: by this program's code, loaded on demand, or through pulumi. */
async function runCommand(
  step: RunStep,
  args: readonly string[],
  { old, fresh, options }: { readonly old: string; fresh: string; options: MigrateOptions },
): Promise<number> {
  const { stack, command, address = "", key = "" } = step;
  const asStep = { up: true, command: "migrate" } as const;
  switch (command) {
    case "init":
      return (await import("./init/init.ts")).init(stack, {});
    case "resume":
      return (await import("./resume.ts")).resume(stack, args, asStep);
    case "adopt":
      return (await import("./edit/adoptHost.ts")).adoptHost(stack, address, args, { like: fresh, ...asStep });
    case "move": {
      const { moveOrchestrator } = await import("./edit/moveOrchestrator.ts");
      return moveOrchestrator(stack, [], { ...options, from: old, up: false, command: "migrate" });
    }
    case "retire":
      return (await import("./edit/retireHost.ts")).retireHost(stack, args, { successor: fresh, ...asStep });
    case "withdraw":
      await removeSettings(createPulumi(stack), [key]);
      return 0;
    default:
      return createPulumi(stack).handOver([command, ...args]);
  }
}
