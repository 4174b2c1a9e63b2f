import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base } from "vitest";
import { asRoot, type CallOptions, type RootHost } from "../../../core/ssh/root.ts";
import { formatAssignments, type Value } from "../../../core/ssh/shellWords.ts";
import { readOrchestratorLibrary } from "../../../core/steps/libraries.ts";

type Variables = Readonly<Record<string, Value>>;

/** Runs the real functions on this machine, with state and scratch files in a directory of their own. */
export interface LocalRoot extends RootHost {
  readonly scratch: string;
  /** Shell text that runs before the next function. */
  before: string;
  call(name: string, variables?: Variables, options?: CallOptions): Promise<string>;
  stream(name: string, variables?: Variables, options?: CallOptions): ReturnType<RootHost["stream"]>;
}

/** A test with such functions, and their files, which go with it. */
export const test = base.extend("root", ({ task: _task }, { onCleanup }) => {
  const root = localRoot();
  onCleanup(() => root.close());
  return root;
});

export function localRoot(): LocalRoot {
  const scratch = mkdtempSync(join(tmpdir(), "signer-"));
  const functions = readOrchestratorLibrary().split(asRoot)[1] ?? "";
  const places = {
    state: join(scratch, "state"),
    runs_dir: join(scratch, "run"),
    host_name: "local",
    stack_word: "prod",
  };
  const stream = async (name: string, variables: Variables = {}) => {
    const child = spawn("bash", ["-euo", "pipefail", "-s"]);
    const first = self.before;
    self.before = "";
    child.stdin.end(`${functions}\n${formatAssignments({ ...places, ...variables })}${first}\n${name} < /dev/null\n`);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      stderr += piece;
    });
    const done = new Promise<void>((resolve, reject) => {
      child.on("close", (code) =>
        code === 0 ? resolve() : reject(Object.assign(new Error(stderr.trim()), { exitCode: code })),
      );
    });
    done.catch(() => undefined);
    return { stdout: child.stdout, done };
  };
  const self: LocalRoot = {
    address: "local",
    hostKey: "ssh-ed25519 KEY",
    scratch,
    before: "",
    stream,
    call: async (name, variables) => {
      const { stdout, done } = await stream(name, variables);
      const chunks: Buffer[] = [];
      stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
      await done;
      return Buffer.concat(chunks).toString("utf8");
    },
    forward: () => Promise.reject(new Error("no RPC here")),
    close: () => rmSync(scratch, { recursive: true, force: true }),
  };
  return self;
}
