import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRetirementInputs } from "../../../core/retirement/retirementInputs";
import { configOf } from "../../components/exampleConfig";
import { type Outcome, providerTexts, runProvider } from "../orchestrator/providerRun";
import { oldFile, type RetirementStage } from "./stage";

/** A guard's stored inputs and outputs, open to changes. */
export type Stored = ReturnType<typeof inputsOf> & Record<string, unknown>;

/** Returns the components' inputs of guard and shutdown of the old host's stack. */
export function inputsOf(stage: RetirementStage) {
  const { lab, old } = stage;
  const { host, ...file } = oldFile(stage) as { host: object };
  const config = configOf({
    ...file,
    host,
    ssh: { privateKey: readFileSync(lab.privateKeyFile, "utf8") },
    orchestrator: { backup: { directory: directoryOf(stage) } },
  });
  return createRetirementInputs(config, { address: old.address, hostKey: old.hostKey, isOwnServer: false });
}

/** Returns the directory to which the guards of this file write. */
export function directoryOf({ lab }: RetirementStage): string {
  return join(lab.dir, "mine/backups");
}

/**
 * Guards and shutdown of the old host, run without an engine from their stored texts, where the hosts are reachable.
 */
export async function askedDirectly(stage: RetirementStage) {
  const texts = await providerTexts();
  const run = async (provider: string, method: string, env: Record<string, string>, ...args: unknown[]) => {
    Object.assign(process.env, env);
    const outcome = await runProvider(stage.lab, texts[provider] ?? "", method, ...args);
    for (const name of Object.keys(env)) delete process.env[name];
    return outcome;
  };
  return {
    create: async (isLast: boolean, changes: object = {}): Promise<Stored> => {
      const inputs = { ...inputsOf(stage), isLast, ...changes };
      const { result, error } = await run("retirementGuard", "create", {}, inputs);
      if (!result) throw new Error(error?.message);
      return result.outs as Stored;
    },
    remove: (stored: Stored, env: Record<string, string> = {}): Promise<Outcome> =>
      run("retirementGuard", "delete", env, "guard", stored),
    shutDown: (stored: Stored, env: Record<string, string> = {}): Promise<Outcome> => {
      const memory = { createdAt: stored.createdAt, isReached: stored.isReached, isOwnWork: stored.isOwnWork };
      return run("nodeShutdown", "create", env, { ...inputsOf(stage), memory });
    },
  };
}

/** Returns the conditions of a refusal: what, found and needed. */
export function conditionsOf({ error }: Outcome): string[] {
  if (error === undefined) return [];
  const [, ...lines] = error.message.split("\n");
  return lines.filter((line) => /^ {2}(- | {2})/.test(line)).map((line) => line.trim());
}

/** Returns only the first line of each condition. */
export function whats(outcome: Outcome): string[] {
  return conditionsOf(outcome)
    .filter((line) => line.startsWith("- "))
    .map((line) => line.slice(2));
}
