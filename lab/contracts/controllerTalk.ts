import { quote } from "../../core/ssh/shellWords";
import { envelope, scriptOf } from "../../core/steps/step";

/** What a controller calls itself and what it deploys: the only thing in which the double may differ. */
export interface ControllerNames {
  /** Before the version, in its banner. */
  readonly banner: string;
  readonly privileged: string;
  /** The node's unit, with its ending, and its executable in /usr/local/bin. */
  readonly service: string;
  readonly daemon: string;
  readonly source: string;
}

export const realNames: ControllerNames = {
  banner: "ZNN Node Controller v",
  privileged: "ZNN Controller",
  service: "go-zenon.service",
  daemon: "znnd",
  source: "go-zenon",
};

export const doubleNames: ControllerNames = {
  banner: "Node Controller v",
  privileged: "Node Controller",
  service: "go-node.service",
  daemon: "go-node",
  source: "go-node",
};

/** A controller on a machine that nobody needs any more afterwards. */
export interface ControllerSubject {
  /** Where its executable lies, with what belongs to it, and what that is called. */
  readonly directory: string;
  readonly executable: string;
  readonly names: ControllerNames;
  /** Seconds that a Deploy may take. */
  readonly deploySeconds: number;
  /** Whether it takes the machine for a small one, where that is known; else it goes by cores and memory. */
  readonly isSmall?: boolean;
  /** Runs a script as root. @returns what it printed, whatever its exit code */
  sh(script: string): Promise<string>;
}

/** How a dialog went: its lines without colours, and how it ended. */
export interface Talk {
  readonly text: string;
  readonly result: string;
  readonly question: string;
}

/** Questions that the program answers with yes, beside one that is none of its own. */
const questions = [
  "Are you sure you want to proceed with the deployment process?",
  "Producer configuration detected. Continue using the existing configuration?",
  "This option will resync the Node starting from genesis. Do you want to continue?",
];

/** Runs a script as a step of the program: as root, in its unit and in that unit's bare environment. @returns what it printed */
function inUnit({ sh }: ControllerSubject, script: string, limitSeconds: number): Promise<string> {
  const step = { name: "contract", limitSeconds, script };
  return sh(envelope(step, { hostName: "this machine", stack: "contract" }));
}

/** Chooses a menu item as the program does, by its own script; the known questions are answered with yes. */
export async function talk(subject: ControllerSubject, label: string, seconds = 60): Promise<Talk> {
  const { directory, executable } = subject;
  const variables = { controller_dir: directory, controller_name: executable };
  const known = `known_questions=(${questions.map(quote).join(" ")})\n`;
  const printed = await inUnit(
    subject,
    `exec 2>&1\n${scriptOf(variables, "node/dialog")}${known}on_line() { printf '%s\\n' "$1"; }
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
 * Types keys at its terminal, without a look at what it asks.
 *
 * @param shell what $SHELL is; the program's dialog sets the default
 * @returns all it printed, colours too, and its exit code
 */
export async function type(
  subject: ControllerSubject,
  keys: string,
  { seconds = 60, shell = "/bin/bash" }: { seconds?: number; shell?: string } = {},
): Promise<{ out: string; code: string }> {
  const command = `stty cols 200; exec env ${shell === "" ? "-u SHELL" : `SHELL=${shell}`} ./${subject.executable}`;
  // Its output goes around the unit's, which takes colours away.
  const out = await inUnit(
    subject,
    `cd ${quote(subject.directory)}; { printf ${quote(keys)}; sleep 4; } |
     { timeout -s KILL ${seconds} script -qefc ${quote(command)} /dev/null || code=$?; echo "@code ${"$"}{code:-0}"; } | base64 -w 0\n`,
    seconds + 60,
  );
  return ended(out);
}

/** Runs it without a terminal. */
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
