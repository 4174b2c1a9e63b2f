import { spawnSync } from "node:child_process";
import { readFileSync, readSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { isatty } from "node:tty";
import type { NodeView } from "../chain/chain.ts";
import type { NodeSettings } from "../chain/settings.ts";
import { readLabHost } from "../labHost.ts";

/** Ends the controller, with exit code 0 as always. */
export class Quit extends Error {}

/** True if standard input is a terminal. Otherwise the controller shows no prompt and reads no answer. */
export const isTty = isatty(0);

export function write(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += retried(() => writeSync(1, bytes, at));
}

export function print(line: string): void {
  write(`${line}\n`);
}

/** Sets whether typed characters are shown. */
export function setEcho(on: boolean): void {
  run("stty", [on ? "echo" : "-echo"], "inherit");
}

/** Reads one line without its line end. Returns an empty text at the end of the input. */
export function readLine(): string {
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

export function run(command: string, args: string[], stdin: "ignore" | "inherit" = "ignore") {
  const result = spawnSync(command, args, {
    encoding: "utf8",
    stdio: [stdin, "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status: result.status ?? 127, stdout: result.stdout ?? "" };
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Returns the shell name that the real controller would find: the base name of $SHELL, or without $SHELL the name of
 * the direct parent (dcli 3.0.2, shell_detection.dart 64-128; process_helper.dart asks getppid() for the parent of
 * every process).
 */
export function shellName(): string {
  const { SHELL } = process.env;
  return SHELL === undefined ? textOf(`/proc/${process.ppid}/comm`).trim() : basename(SHELL);
}

export const cores = ({ cores }: Partial<NodeSettings>) => cores ?? Number(run("nproc", []).stdout);

export const memoryBytes = ({ memoryBytes }: Partial<NodeSettings>) =>
  memoryBytes ?? Number(/MemTotal:\s+(\d+)/.exec(textOf("/proc/meminfo"))?.[1] ?? 0) * 1024;

/** Returns this host's public address, or undefined without a network. */
export async function publicAddress(): Promise<string | undefined> {
  return (await fetchText(`${readLabHost()?.release}/ip`).catch(() => undefined))?.trim();
}

/** Returns the settings that a test commands for this host. Empty if the chain double does not answer. */
export async function labSettings(): Promise<Partial<NodeSettings>> {
  const lab = readLabHost();
  const view = await fetchText(`${lab?.chain}/nodes/${lab?.name}`).catch(() => undefined);
  return view === undefined ? {} : (JSON.parse(view) as NodeView).settings;
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.text();
}

/** Calls a method of the node's RPC. Throws if the node does not answer. */
export async function rpc<T>(method: string, params: unknown[]): Promise<T> {
  const response = await fetch("http://127.0.0.1:35997", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(10_000),
  });
  return ((await response.json()) as { result: T }).result;
}

export function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const colour = (code: string) => (text: string) => `\u001b[${code};1m${text}\u001b[0m`;

/** Green text. The controller prints colors without checking whether its output is a terminal. */
export const green = colour("32");
/** Red text, for errors. */
export const red = colour("31");
/** Orange text, for warnings. */
export const orange = colour("38;5;208");
