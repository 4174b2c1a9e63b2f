import { rmSync, writeFileSync } from "node:fs";
import { anyStack, commandsFor } from "../../core/util/commands.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { createPulumi, formatPulumiError, type Pulumi } from "../pulumi/pulumiCommand.ts";
import { checkStackName, resolveStackFilePath, shortenStackName } from "../pulumi/stackName.ts";
import { askText } from "../terminal/prompts.ts";
import { choosePassphrase, gatherSecrets, hasSetPassphrase, listMissingSecrets, type Secret } from "./stackSecrets.ts";
import { formatStackFile, type InitFlags, readExample, refuseExistingFile } from "./stackText.ts";

/**
 * Makes a stack and its file from flags or typed answers. Overwrites nothing, and leaves nothing behind if it fails.
 * Returns the exit code. @throws Refusal for missing answers, or an existing stack or file
 */
export async function init(name: string | undefined, flags: InitFlags): Promise<number> {
  const hasPassphrase = !(await requiresPassphrase()) || hasSetPassphrase();
  const usualName = flags.adopt ? "prod-1" : "prod-2";
  const stack =
    name ?? (await askText("What is the stack called?", { instead: "STACK, such as prod-2", default: usualName }));
  checkStackName(stack);
  const engine = createPulumi(stack);
  const file = resolveStackFilePath(stack);
  await refuseExistingStack(engine, stack);
  refuseExistingFile(stack);

  // Loaded here, because the configuration's checks take a moment to load.
  const { gatherAnswers } = await import("./gatherAnswers.ts");
  const { checkStackFile, refuseProblems } = await import("./checkAnswers.ts");
  const answers = await gatherAnswers(stack, flags);
  const secrets = await gatherSecrets(answers, flags);
  const missing = listMissingSecrets(answers, secrets);
  const settable = missing.filter((path) => !path.startsWith("ssh.private"));
  const placeholders = settable.map((path): Secret => [path, "0".repeat(64)]);
  const text = formatStackFile(readExample(answers), answers);
  refuseProblems("init", checkStackFile(stack, text, [...secrets, ...placeholders]));
  if (!hasPassphrase) process.env.PULUMI_CONFIG_PASSPHRASE = await choosePassphrase();

  await createStack(engine, stack, file, text);
  for (const [path, value] of secrets)
    await engine.read(["config", "set", "--secret", "--path", `pillar-host:${path}`], value);
  console.log(formatResult(stack, missing));
  return 0;
}

/** True if the backend needs a pass phrase. Pulumi's own service encrypts the secrets itself. */
async function requiresPassphrase(): Promise<boolean> {
  const backend = await createPulumi("").readBackend();
  if (backend !== undefined) return !/^https?:/.test(backend);
  throw new ProblemError({
    what: "pulumi is not logged in: it has no place for the state of your stacks",
    needed: `log in; to keep the state on this machine (~/.pulumi): ${anyStack.loginHere}`,
  });
}

async function refuseExistingStack(engine: Pulumi, stack: string): Promise<void> {
  if (!(await engine.listStacks()).includes(stack)) return;
  throw new ProblemError({
    what: `there is a stack ${stack} already; nothing was written`,
    needed: `choose another name; or, to continue with this stack: ${commandsFor(stack).up}`,
  });
}

/** Creates both file and stack, or neither. */
async function createStack(engine: Pulumi, stack: string, file: string, text: string): Promise<void> {
  writeFileSync(file, text, { flag: "wx" });
  const { exitCode, stderr } = await engine.run(["stack", "init", "--no-select"]);
  if (exitCode === 0) return;
  rmSync(file);
  throw new ProblemError({ what: `${formatPulumiError("stack init", stack, stderr)}\nNo stack and no file was made.` });
}

function formatResult(stack: string, missing: readonly string[]): string {
  return [
    `Made: stack ${stack}, and its file Pulumi.${shortenStackName(stack)}.yaml`,
    "",
    "Next:",
    ...missing.map((path) => `  ${commandsFor(stack).setSecret(path)}`),
    `  ${commandsFor(stack).up}`,
  ].join("\n");
}
