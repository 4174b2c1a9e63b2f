import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Starts a process that `ps` calls pulumi. */
export async function runningPulumi(): Promise<{ readonly pid: number; end(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), "pulumi-"));
  const program = join(directory, "pulumi");
  copyFileSync("/bin/sleep", program);
  const run = spawn(program, ["60"]);
  await new Promise((resolve) => run.once("spawn", resolve));
  return {
    pid: run.pid ?? 0,
    end: async () => {
      run.kill("SIGKILL");
      await new Promise((resolve) => run.once("close", resolve));
      rmSync(directory, { recursive: true });
    },
  };
}
