import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base } from "vitest";
import { asRoot } from "../../../core/ssh/root.ts";

const commands = readFileSync(join(import.meta.dirname, "../../../core/steps/lib/commands.sh"), "utf8");

const environment = 'clean_environment="/usr/bin/env -i LC_ALL=C';
const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A directory in which a step's script runs for real, as anybody, with commands of the test's own before the system's. */
export class Sandbox {
  readonly dir = mkdtempSync(join(tmpdir(), "pillar-host-unit-"));
  readonly bin = join(this.dir, "bin");
  readonly state = join(this.dir, "state");
  readonly logs = join(this.dir, "logs");

  constructor() {
    for (const directory of [this.bin, this.state, this.logs]) mkdirSync(directory);
    // A test cannot show what a power cut leaves, and flushing the machine's disk would take longer than everything
    // else.
    this.command("sync", ":");
    this.process(1, "systemd");
    this.listen();
  }

  /** Puts a command before the system's, written in bash. */
  command(name: string, body: string): void {
    this.executable(join(this.bin, name), body);
  }

  executable(path: string, body: string): void {
    writeFileSync(path, `#!/bin/bash\n${body}\n`, { mode: 0o755 });
  }

  write(name: string, text: string | Uint8Array): string {
    const path = join(this.dir, name);
    writeFileSync(path, text);
    return path;
  }

  read(name: string): string | undefined {
    const path = join(this.dir, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  mark(name: string, text = "2026-01-02T03:04:05Z\n"): void {
    writeFileSync(join(this.state, name), text);
  }

  /** Adds a process as /proc describes it. */
  process(pid: number, command: string, cgroup?: string): void {
    mkdirSync(join(this.dir, "proc", String(pid)), { recursive: true });
    this.write(`proc/${pid}/comm`, `${command}\n`);
    if (cgroup !== undefined) this.write(`proc/${pid}/cgroup`, `0::${cgroup}\n`);
  }

  /** Returns what listens on TCP, and nothing else does; a connection of another state is there in any case. */
  listen(...ports: number[]): void {
    const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");
    const line = (port: number, state: string) =>
      `   0: 00000000:${hex(port)} 00000000:0000 ${state} 00000000:00000000\n`;
    const lines = ports.map((port) => line(port, "0A")).join("");
    mkdirSync(join(this.dir, "proc/net"), { recursive: true });
    this.write("proc/net/tcp", `  sl  local_address rem_address   st tx_queue rx_queue\n${line(35997, "01")}`);
    this.write("proc/net/tcp6", `  sl  local_address\n${lines.replaceAll("00000000:0", `${"0".repeat(32)}:0`)}`);
  }

  /** Moves the script's fixed paths of a host into this directory. @throws if lib.sh names them differently */
  local(script: string): string {
    const moves: [string, string][] = [
      ["\nstate=/var/lib/pillar-host\n", `\nstate=${this.state}\n`],
      ["\nlogs=/var/log/pillar-host\n", `\nlogs=${this.logs}\n`],
      ["\nruns_dir=/run/pillar-host\n", `\nruns_dir=${this.dir}/run\n`],
      ["\nproc=/proc\n", `\nproc=${this.dir}/proc\n`],
    ];
    return this.inside(replaceAll(`host_name=h\nstack_word=prod\n${commands}${script}`, moves));
  }

  /** Gives what a script starts in the host's environment this directory's. @throws if the environment is another one */
  inside(script: string): string {
    const text = `${environment} PATH=${this.bin}:${path} HOME=${this.dir} TMPDIR=${this.dir} sandbox=${this.dir}"`;
    replaceAll(script, [[`${environment} PATH=${path} HOME=/root"`, text]]);
    return script.replaceAll(`${environment} PATH=${path} HOME=/root"`, () => text);
  }

  /** Returns the functions of a library for root, with the host's fixed paths and units in this directory. */
  library(text: string): string {
    return this.local(text.split(asRoot)[1] ?? "").replaceAll("/etc/systemd/system", join(this.dir, "units"));
  }

  /** Runs bash as the program does: the script on standard input. */
  run(script: string, argv: readonly string[] = ["-euo", "pipefail", "-s"]): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const at = { HOME: this.dir, TMPDIR: this.dir, sandbox: this.dir };
      const env = { ...at, LC_ALL: "C", PATH: `${this.bin}:${process.env.PATH}` };
      const child = spawn("bash", argv, { cwd: this.dir, env });
      const text = { stdout: "", stderr: "" };
      for (const name of ["stdout", "stderr"] as const) {
        child[name].setEncoding("utf8").on("data", (piece: string) => {
          text[name] += piece;
        });
      }
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, ...text }));
      child.stdin.on("error", () => undefined); // a script may end before it was read whole
      child.stdin.end(script);
    });
  }

  remove(): void {
    // A process that a killed script left may still write.
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Tests with a sandbox each, so that they can wait beside each other. */
export const test = base.extend<{ box: Sandbox }>({
  box: async ({ task: _task }, use) => {
    const box = new Sandbox();
    await use(box);
    box.remove();
  },
});

/** Replaces each text once. @throws when one is not there: the test would test nothing */
export function replaceAll(script: string, moves: readonly (readonly [string, string])[]): string {
  return moves.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`not in the script: ${from.trim()}`);
    return text.replace(from, () => to);
  }, script);
}

/**
 * Kills a script, with all of its subshells, right before its nth command that matches a pattern of the shell; a command that
 * writes to a file by a redirection has opened that file by then.
 */
export const killedAt = (at: number, pattern = "*") => `
echo 0 > "$sandbox/steps"
for name in cat printf say tr grep perl cut; do
  if [ "$(type -t "$name")" = function ]; then eval "real_$(declare -f "$name")"; else eval "real_$name() { $(type -t "$name" | grep -q builtin && echo builtin || echo command) $name \\"\\$@\\"; }"; fi
  eval "$name() { real_$name \\"\\$@\\"; }"
done
kill_now() {
  local steps
  case $1 in ${pattern}) ;; *) return 0 ;; esac
  steps=$(($(< "$sandbox/steps") + 1))
  builtin echo "$steps" > "$sandbox/steps"
  [ "$steps" -ne ${at} ] || builtin kill -9 $$ "$BASHPID"
}
set -T
trap 'kill_now "$BASH_COMMAND"' DEBUG`;

/** Runs a script as `Sandbox.run` does, with a separate disk of this many KiB at `$sandbox/disk`. */
export const onSmallDisk = (box: Sandbox, kib: number, script: string) =>
  box.run(`mkdir -p "$sandbox/disk"; mount -t tmpfs -o size=${kib}k,mode=755 none "$sandbox/disk"\n${script}`, [
    ...["-c", "exec unshare -rm bash -euo pipefail -s"],
  ]);

/** Fills that disk. */
export const fillDisk = 'dd if=/dev/zero of="$sandbox/disk/filler" bs=4k status=none 2> /dev/null || true';
