import { frameScript } from "../ssh/answer.ts";
import { createHostVariables, createRootEnvelope, type HostLogin, type Receiver } from "../ssh/root.ts";
import { formatAssignments, type Value } from "../ssh/shellWords.ts";
import { trimShell } from "../ssh/trimShell.ts";
import { commandsFor } from "../util/commands.ts";
import { readShell } from "./libraries.ts";

/** A piece of work on a host: shell text that runs as root, idempotent and safe to run again from any point. */
export interface Step {
  /** Letters only, because errors, logs and a service on the host have this name. */
  readonly name: string;
  readonly limitSeconds: number;
  /** Shell text for `bash -euo pipefail`, complete, without a secret. */
  readonly script: string;
  /** True if it only reads, so it runs directly, not in a service that outlives the connection. */
  readonly readsOnly?: boolean;
  /** True if the standard output is for the program, not for the operator. */
  readonly quiet?: boolean;
  /** Checks the output of a quiet step. */
  readonly accepts?: (printed: string) => boolean;
  /** Called in the program right before the step runs, never in a preview. */
  readonly before?: (host: HostLogin, show: (line: string) => void) => Promise<void>;
}

/** Returns a step's script: its variables, the shared functions, then the files in order. */
export function createScript(files: readonly string[], values: Readonly<Record<string, Value | undefined>>): string {
  return formatAssignments(values) + readShell("lib/common", ...files);
}

/**
 * Returns the text for `bash -euo pipefail -s` as the login user: becomes root, then runs the step. Secret: holds the
 * sudo password, so it goes through standard input.
 */
export function createEnvelope(step: Step, receiver: Receiver): string {
  const { limitSeconds: limit_seconds, readsOnly, quiet } = step;
  const names = createHostVariables(receiver);
  const commands = readShell("lib/commands");
  const become = commands + readShell("lib/become");
  const unit = readShell("lib/unit");
  const next = readsOnly ? {} : { again: commandsFor(receiver.stack).up };
  const work = trimShell(step.script);
  const text = readsOnly && !quiet ? plainly(work) : work;
  const script = formatAssignments({ ...names, ...next }) + trimShell(commands, text) + text;
  // Notes must not mix with the result of a quiet step. 3 is the output that the operator sees.
  const variables = formatAssignments({ ...names, step: step.name, limit_seconds, notes: quiet ? 2 : 3 });
  const input = readsOnly ? script : variables + trimShell(commands, unit) + hereDocument(trimShell(unit), script);
  const limit = readsOnly ? `timeout -k 10 ${limit_seconds} ` : "";
  return createRootEnvelope(receiver, become, `${limit}bash -euo pipefail -s`, frameScript(input, "step"));
}

/** Removes terminal commands from both output streams of a script. */
function plainly(script: string): string {
  return `look() {\n${script}\n}\n{ look 2>&1 >&3 | printable >&2; } 3>&1 | printable\n`;
}

/** Runs a script in a function whose standard input is another text. */
function hereDocument(script: string, input: string): string {
  return `main() {\n${script}}\nmain <<'PILLAR_HOST_STEP'\n${input}PILLAR_HOST_STEP\n`;
}
