import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { ChainCopied } from "../../core/chainCopy/chainCopy";
import type { ChainCopyInputs } from "../../core/chainCopy/copyNodes";
import { stackSchema } from "../../core/config/stackSchema";
import type { GateSettings } from "../../core/sync/gateSettings";
import type { Lab } from "../lab";
import { checkout } from "../toolchain/version";

/** Result of a copy and the gate after it. */
export interface Copied {
  readonly copied: ChainCopied;
  readonly said: readonly string[];
  readonly syncedAt: string;
}

/**
 * Copies a chain, and waits until the gate calls the new node synced.
 * @param heard gets each line when it is printed; the copy waits for its answers
 * @throws with the lines so far
 */
export async function copyOnce(
  lab: Lab,
  inputs: ChainCopyInputs,
  heard: (line: string) => Promise<unknown> | undefined = () => undefined,
): Promise<Copied> {
  const program = resolve(import.meta.dirname, "copyRun.ts");
  const input = JSON.stringify({ inputs, gate: gateSettings() });
  const run = lab.run([join(checkout, "node_modules/.bin/tsx"), program], { input, timeout: 900_000 });
  const answers: unknown[] = [];
  createInterface({ input: run.stderr }).on("line", (line) => answers.push(heard(line)));
  const { stdout } = await run;
  await Promise.all(answers);
  return JSON.parse(stdout) as Copied;
}

/** Returns the gate's settings of a stack that configures none, but for one proof within ten minutes. */
function gateSettings(): GateSettings {
  const { tolerance, stallMinutes } = stackSchema.shape.sync.parse(undefined);
  return {
    references: [],
    isChainUnverified: true,
    confirmations: 1,
    tolerance,
    deadline: 600_000,
    wait: "block",
    stack: "lab",
    service: "go-node",
    confirmSpan: 0,
    stallAfter: stallMinutes * 60_000,
  };
}
