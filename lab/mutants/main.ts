import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { checkout } from "../toolchain/version.ts";
import { mutants } from "./mutants.ts";

/**
 * `npm run mutants`: makes each mistake in a copy of the checkout, and runs the unit tests that must notice it. Ends
 * with 1 if one goes unnoticed.
 */
const root = mkdtempSync(join(tmpdir(), "pillar-host-mutants-"));
const passes = async (tests: readonly string[]) => {
  const options = { cwd: root, timeout: 240_000, forceKillAfterDelay: 5000, reject: false, stdin: "ignore" } as const;
  const args = ["run", "--config", "test/vitest.config.ts", "--project", "unit", "--bail", "1", ...tests];
  return (await execa("vitest", args, options)).exitCode === 0;
};
let unnoticed = 0;
try {
  const isCopied = (path: string) => !/\/(node_modules|\.git|\.lab)(\/|$)/.test(path.slice(checkout.length));
  cpSync(checkout, root, { recursive: true, filter: isCopied });
  symlinkSync(join(checkout, "node_modules"), join(root, "node_modules"));
  if (!(await passes([...new Set(mutants.map(({ test }) => test))])))
    throw new Error("a test fails without any mistake\n  needed: npm run test:unit without a failure");
  for (const { file, from, to, what, test } of mutants) {
    const path = join(root, file);
    const text = readFileSync(path, "utf8");
    const changed = text.replace(from, () => to);
    writeFileSync(path, changed);
    const isCaught = !(await passes([test]));
    writeFileSync(path, text);
    console.log(`${file}: ${what} → ${isCaught ? "caught" : "NOT CAUGHT"}`);
    if (!isCaught) unnoticed += 1;
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = unnoticed === 0 ? 0 : 1;
