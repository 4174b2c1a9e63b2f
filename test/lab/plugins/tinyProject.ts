import fs from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { stringify } from "yaml";
import type { Toolchain } from "../../../lab/toolchain";
import { checkout } from "../../../lab/toolchain/version";

/** Makes a project of one small program, with a place for its state, in a directory that is there. */
export function makeTinyProject(
  dir: string,
  files: Readonly<Record<string, string>>,
  options: Readonly<Record<string, unknown>> = { typescript: false },
): void {
  const main = "index.ts" in files ? "index.ts" : "index.js";
  const project = {
    "Pulumi.yaml": stringify({ name: "tiny", runtime: { name: "nodejs", options } }, { lineWidth: 0 }),
    "package.json": JSON.stringify({ name: "tiny", main }),
  };
  for (const [name, text] of Object.entries({ ...project, ...files })) fs.writeFileSync(path.join(dir, name), text);
  fs.symlinkSync(path.join(checkout, "node_modules"), path.join(dir, "node_modules"));
  fs.mkdirSync(path.join(dir, "state"));
}

/** Runs pulumi in such a project, whose stack is called test; never throws. */
export async function runInTiny(
  dir: string,
  toolchain: Toolchain,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ exitCode: number; all: string }> {
  const { all, exitCode = -1 } = await execa(toolchain.pulumi, [...args, "--non-interactive"], {
    ...{ cwd: dir, all: true, reject: false, stdin: "ignore" },
    env: {
      ...toolchain.env,
      PULUMI_BACKEND_URL: `file://${dir}/state`,
      PULUMI_CONFIG_PASSPHRASE: "tiny",
      PULUMI_STACK: "test",
      ...env,
    },
  });
  return { exitCode, all };
}
