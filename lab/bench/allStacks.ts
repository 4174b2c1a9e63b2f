import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import type { LabStack } from "../stack/stack.ts";
import { step } from "../util/progress.ts";
import type { Bench } from "./bench.ts";
import { median, type Values } from "./rows.ts";

/**
 * Measures `status --all` of one and ten stacks in one backend. All but the first are copies of it, with its
 * state and host: as many engine runs, logins and lookups as ten hosts take, on the two cores of one.
 */
export async function measureAllStacks(bench: Bench): Promise<Values> {
  const { stack } = await bench.standing();
  const names = [stack.name];
  const of = async (count: number): Promise<number> => {
    while (names.length < count) {
      const name = `copy-${names.length}`;
      await copyOf(stack, name);
      names.push(name);
    }
    const rounds: number[] = [];
    for (let i = 0; i < bench.rounds; i += 1)
      rounds.push(
        await step(`status of ${count} stacks, round ${i + 1} of ${bench.rounds}`, () => timeAll(stack, count)),
      );
    return median(rounds);
  };
  try {
    return { statusOne: await of(1), statusTen: await of(10) };
  } finally {
    for (const name of names.slice(1)) await stack.pulumi(["stack", "rm", name, "--yes", "--force"]);
  }
}

/** Copies a stack under another name, with its state, pass phrase and secrets. */
async function copyOf(stack: LabStack, name: string): Promise<void> {
  await copyFile(stack.configFile, join(stack.programDirectory, `Pulumi.${name}.yaml`));
  await stack.pulumi(["stack", "init", name, "--no-select"]);
  const { stdout } = await stack.pulumi(["stack", "export", "-s", stack.name]);
  const input = String(stdout).replaceAll(`urn:pulumi:${stack.name}::`, `urn:pulumi:${name}::`);
  await stack.pulumi(["stack", "import", "-s", name], { input });
}

/** Times `status --all`. @throws if a stack was skipped */
async function timeAll(stack: LabStack, count: number): Promise<number> {
  const started = performance.now();
  const { stdout } = await stack.lab.run(["./pillar-host", "status", "--all", "--json"], {
    cwd: stack.programDirectory,
    env: stack.env,
    reject: false,
  });
  const seconds = (performance.now() - started) / 1000;
  const looks = JSON.parse(stdout) as readonly { readonly looked: boolean }[];
  if (looks.length !== count || looks.some(({ looked }) => !looked))
    throw new Error(`not all of ${count} stacks were looked at:\n${stdout}`);
  return seconds;
}
