import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Framing, framed } from "../ssh/answer";
import { namesOf, type Receiver, rootEnvelope } from "../ssh/rootEnvelope";
import { assignments, type Value } from "../ssh/shellWords";
import { commandsFor } from "../util/commands";

export { assignments, quote, type Value } from "../ssh/shellWords";

/** A piece of work on a host: shell text that runs as root, idempotent and safe to run again from any point. */
export interface Step {
  /** Names it in errors, in logs and in the service that runs it; letters only. */
  readonly name: string;
  readonly limitSeconds: number;
  /** Shell text for `bash -euo pipefail`, complete, without a secret. */
  readonly script: string;
  /** Runs at once, not in a service that outlives the connection: for steps that only look. */
  readonly looksOnly?: boolean;
  /** True if its standard output is a result for the program, not for the operator. */
  readonly quiet?: boolean;
  /** Checks the form of the output of a quiet step. */
  readonly accepts?: (printed: string) => boolean;
  /** True if the caller adds the next command to its errors, which is no `pulumi up`. */
  readonly isAsked?: boolean;
}

function read(name: string): string {
  return readFileSync(join(__dirname, `${name}.sh`), "utf8");
}

/** Returns the script of a step: its variables, the shared functions, then the named files in order. */
export function scriptOf(values: Readonly<Record<string, Value | undefined>>, ...files: readonly string[]): string {
  return assignments(values) + ["lib/common", ...files].map(read).join("\n");
}

/**
 * Returns the text for `bash -euo pipefail -s` on the host as the login user: becomes root, then runs the step. It holds the
 * sudo password, so it goes through standard input and is a secret.
 *
 * @param unproved how often the step counted as done without having run: another number makes another text
 */
export function envelope(step: Step, receiver: Receiver, unproved = 0): string {
  const names = namesOf(receiver);
  // A result is nothing but the result, also when an earlier run was waited for. 3 is the output, as it is shown.
  const notes = step.quiet ? 2 : 3;
  const variables = { ...names, step: step.name, limit_seconds: step.limitSeconds, notes };
  const attempt = unproved > 0 ? assignments({ unproved }) : "";
  const commands = read("lib/commands");
  const isShown = step.looksOnly && !step.quiet;
  const next = step.looksOnly || step.isAsked ? {} : { again: commandsFor(receiver.stack).up };
  const inner = assignments({ ...names, ...next }) + commands + (isShown ? plainly(step.script) : step.script);
  const root = step.looksOnly
    ? { argv: `timeout -k 10 ${step.limitSeconds} bash -euo pipefail -s`, input: inner }
    : {
        argv: "bash -euo pipefail -s",
        input: assignments(variables) + commands + hereDocument(read("lib/unit"), inner),
      };
  const quietly: Framing = step.looksOnly ? "streamed" : "captured";
  const framing = step.quiet ? quietly : "shown";
  return rootEnvelope(receiver, commands + read("lib/become"), root.argv, framed(attempt + root.input, framing));
}

/** Runs a script in a function, both of whose streams are shown without what commands a terminal. */
function plainly(script: string): string {
  return `look() {\n${script}\n}\n{ look 2>&1 >&3 | printable >&2; } 3>&1 | printable\n`;
}

/** Runs a script in a function whose standard input is another text. */
function hereDocument(script: string, input: string): string {
  return `main() {\n${script}}\nmain <<'PILLAR_HOST_STEP'\n${input}PILLAR_HOST_STEP\n`;
}
