import { readAnswer } from "../../core/ssh/answer.ts";
import { createEnvelope, createScript } from "../../core/steps/step.ts";
import { quote } from "../../core/util/quote.ts";

/** Names of a controller and of what it deploys: the only difference that the double may have. */
export const realNames = {
  /** Text before the version in its banner. */
  banner: "ZNN Node Controller v",
  privileged: "ZNN Controller",
  /** The node's unit, with its suffix, and its executable in /usr/local/bin. */
  service: "go-zenon.service",
  daemon: "znnd",
  source: "go-zenon",
};

export const doubleNames: typeof realNames = {
  banner: "Node Controller v",
  privileged: "Node Controller",
  service: "go-node.service",
  daemon: "go-node",
  source: "go-node",
};

/** A controller on a machine that is not needed afterwards. */
export interface ControllerSubject {
  /** Directory of the executable and of the files that belong to it, and the executable's name. */
  readonly directory: string;
  readonly executable: string;
  readonly names: typeof realNames;
  /** Timeout of a Deploy in seconds. */
  readonly deploySeconds: number;
  /** True if the controller warns of a small machine; if undefined, cores and memory decide. */
  readonly isSmall?: boolean;
  /** Runs a script as root, and ignores its exit code. @returns its output */
  sh(script: string): Promise<string>;
}

/** Questions that the program answers with yes. */
const questions = [
  "Are you sure you want to proceed with the deployment process?",
  "Producer configuration detected. Continue using the existing configuration?",
];

/** Runs a script as a step of the program: as root, in a unit with a bare environment. @returns its output */
async function inUnit({ sh }: ControllerSubject, script: string, limitSeconds: number): Promise<string> {
  const step = { name: "contract", limitSeconds, script };
  const envelope = createEnvelope(step, { hostName: "this machine", stack: "contract" });
  return readAnswer(envelope, { stdout: await sh(envelope) }).stdout;
}

/**
 * Chooses a menu item with the program's own script, which answers the known questions with yes.
 * @returns the dialog's lines without colours, and how it ended
 */
export async function talk(subject: ControllerSubject, label: string, seconds = 60) {
  const { directory, executable } = subject;
  const variables = { controller_dir: directory, controller_name: executable };
  const known = `known_questions=(${questions.map(quote).join(" ")})\n`;
  const printed = await inUnit(
    subject,
    `exec 2>&1\n${createScript(["node/dialog"], variables)}${known}on_line() { printf '%s\\n' "$1"; }
     dialog ${quote(label)} ${seconds}; printf '\\n@result %s\\n@question %s\\n' "$dialog_result" "$dialog_question"\n`,
    seconds + 60,
  );
  const fact = (name: string) => printed.split("\n").findLast((line) => line.startsWith(`@${name} `)) ?? "";
  return {
    text: printed.split("\n@result ")[0] ?? "",
    result: fact("result").slice("@result ".length),
    question: fact("question").slice("@question ".length),
  };
}

/**
 * Types keys at the controller's terminal, whatever it asks.
 * @param shell value of $SHELL; the default is that of the program's dialog
 * @returns its output, with colours, and its exit code
 */
export async function type(
  subject: ControllerSubject,
  keys: string,
  { seconds = 60, shell = "/bin/bash" }: { seconds?: number; shell?: string } = {},
): Promise<{ out: string; code: string }> {
  const command = `stty cols 200; exec env ${shell === "" ? "-u SHELL" : `SHELL=${shell}`} ./${subject.executable}`;
  // Base64 keeps the colours, which the unit's output would lose.
  const out = await inUnit(
    subject,
    `cd ${quote(subject.directory)}; { printf ${quote(keys)}; sleep 4; } |
     { timeout -s KILL ${seconds} script -qefc ${quote(command)} /dev/null || code=$?; echo "@code ${"$"}{code:-0}"; } | base64 -w 0\n`,
    seconds + 60,
  );
  return ended(out);
}

/** Runs the controller without a terminal. */
export async function withoutTerminal(subject: ControllerSubject, as = ""): Promise<{ out: string; code: string }> {
  const { directory, executable, deploySeconds } = subject;
  const out = await inUnit(
    subject,
    `cd ${quote(directory)}; export SHELL=/bin/bash
     { timeout -s KILL ${deploySeconds} ${as} ./${executable} < /dev/null 2>&1 || code=$?; echo "@code ${"$"}{code:-0}"; } | base64 -w 0\n`,
    deploySeconds + 60,
  );
  return ended(out);
}

function ended(encoded: string): { out: string; code: string } {
  const out = Buffer.from(encoded, "base64").toString("utf8");
  return { out: out.replace(/@code \d+\s*$/, ""), code: /@code (\d+)\s*$/.exec(out)?.[1] ?? "none" };
}
