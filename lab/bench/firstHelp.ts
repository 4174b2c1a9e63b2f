import { cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { step } from "../util/progress.ts";
import type { Bench } from "./bench.ts";
import { median, type Values } from "./rows.ts";

const checkout = join(import.meta.dirname, "../..");

/** Measures the first `./pillar-host --help` of a checkout, which has no compile cache yet. */
export async function measureFirstHelp({ lab, rounds }: Bench): Promise<Values> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    const cwd = join(lab.dir, `checkout-${i}`);
    await mkdir(cwd);
    // Real files, because the cache lies beside them.
    for (const entry of ["pillar-host", "package.json", "cli", "core"])
      await cp(join(checkout, entry), join(cwd, entry), { recursive: true });
    await symlink(join(checkout, "node_modules"), join(cwd, "node_modules"));
    const help = async () => {
      const started = performance.now();
      await lab.run(["./pillar-host", "--help"], { cwd });
      times.push((performance.now() - started) / 1000);
    };
    await step(`first --help, round ${i + 1} of ${rounds}`, help);
  }
  return { firstHelp: median(times) };
}
