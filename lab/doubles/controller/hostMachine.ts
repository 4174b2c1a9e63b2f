import { spawnSync } from "node:child_process";
import { readFileSync, readSync, writeSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { basename } from "node:path";
import { isatty } from "node:tty";
import type { NodeSettings } from "../chain/settings";
import type { NodeView } from "../chain/truth";
import { type LabHost, readLabHost } from "../labHost";
import type { CommandResult, Machine } from "./machine";
import type { Terminal } from "./terminal";

/** Returns the machine that the controller runs on. */
export async function hostMachine(nodeExecutable: string): Promise<Machine> {
  const lab = readLabHost();
  const commanded = await labSettings(lab);
  return {
    terminal: hostTerminal(),
    euid: process.geteuid?.() ?? -1,
    user: userInfo().username,
    hostName: hostname(),
    osVersion: /PRETTY_NAME="(.*)"/.exec(textOf("/etc/os-release"))?.[1] ?? "Linux",
    shell: shellName(),
    root: "",
    workingDirectory: process.cwd(),
    nodeExecutable,
    run,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    cores: () => commanded.cores ?? Number(run("nproc", []).stdout),
    memoryBytes: () =>
      commanded.memoryBytes ?? Number(/MemTotal:\s+(\d+)/.exec(textOf("/proc/meminfo"))?.[1] ?? 0) * 1024,
    publicAddress: () => publicAddress(lab),
    fetch: fetchText,
    labSettings: async () => commanded,
    rpc,
  };
}

/**
 * Returns the shell name that the real controller would find: the base name of $SHELL, or without $SHELL the name of
 * the direct parent (dcli 3.0.2, shell_detection.dart 64-128; process_helper.dart asks getppid() for the parent of
 * every process).
 */
function shellName(): string {
  const { SHELL } = process.env;
  return SHELL === undefined ? textOf(`/proc/${process.ppid}/comm`).trim() : basename(SHELL);
}

/** Returns the controller's own standard input and output. */
export function hostTerminal(): Terminal {
  return {
    isTty: isatty(0),
    write(text) {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += retried(() => writeSync(1, bytes, at));
    },
    readLine,
    setEcho: (on) => void run("stty", [on ? "echo" : "-echo"], "inherit"),
  };
}

function readLine(): string {
  const byte = Buffer.alloc(1);
  const bytes: number[] = [];
  while (retried(() => readSync(0, byte)) === 1) {
    if (byte[0] === 0x0a) return Buffer.from(bytes).toString("utf8");
    bytes.push(byte.readUInt8());
  }
  // The real controller repeats its question endlessly at the end of its input. This pause keeps it from using a whole
  // CPU.
  pause(100);
  return Buffer.from(bytes).toString("utf8");
}

function retried(action: () => number): number {
  for (;;) {
    try {
      return action();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EIO") return 0;
      if (code !== "EAGAIN") throw error;
      pause(10);
    }
  }
}

const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function run(command: string, args: string[], stdin: "ignore" | "inherit" = "ignore"): CommandResult {
  const result = spawnSync(command, args, {
    encoding: "utf8",
    stdio: [stdin, "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status: result.status ?? 127, stdout: result.stdout ?? "", stderr: result.stderr ?? "" };
}

async function publicAddress(lab: LabHost | undefined): Promise<string | undefined> {
  if (lab === undefined) return undefined;
  try {
    return (await fetchText(`${lab.release}/ip`)).trim();
  } catch {
    return undefined;
  }
}

async function labSettings(lab: LabHost | undefined): Promise<Partial<NodeSettings>> {
  if (lab === undefined) return {};
  try {
    const view = JSON.parse(await fetchText(`${lab.chain}/nodes/${lab.name}`)) as NodeView;
    return view.settings;
  } catch {
    return {};
  }
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.text();
}

async function rpc<T>(method: string, params: unknown[]): Promise<T> {
  const response = await fetch("http://127.0.0.1:35997", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(10_000),
  });
  return ((await response.json()) as { result: T }).result;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
