import crypto from "node:crypto";
import { Transform } from "node:stream";
import { formatProblem } from "../util/problem.ts";

/**
 * Marks that separate a script's output from that of the login's start files, which may print, or exit with code 0.
 * `streamed`: both streams are marked at beginning and end. `step`: for the command plugin, which mixes both streams in
 * its error. So the standard error of a script that fails comes last, on standard output, behind a mark of its own.
 */
export type Framing = "step" | "streamed";

const formatMark = (what: "answer" | "failed" | "done", token: string) => `pillar-host-${what}-${token}`;

/** Wraps a script so that {@link readAnswer} finds its output. The same script gets the same token. */
export function frameScript(script: string, framing: Framing): string {
  const token = crypto.createHash("sha256").update(script).digest("hex").slice(0, 32);
  // The script builds each mark with printf, so that a shell's echo of the script is no mark.
  const begin = `printf '\\n%s\\n' '${formatMark("answer", token)}'`;
  const end = `printf '%s\\n' '${formatMark("done", token)}'`;
  const tail = {
    // Bash forgets `set -e` in a command substitution.
    step: `exec 4>&1; ${begin}; said=
trap '[ $? -eq 0 ] || printf "\\n%s\\n%s\${said:+\\n}" ${formatMark("failed", token)} "$said"' EXIT
said=$(set -e; answer_of "$@" 2>&1 >&4)
printf "%s\${said:+\\n}" "$said" >&2; ${end}\n`,
    streamed: `${begin}; ${begin} >&2\n(answer_of "$@")\n${end}; echo >&2; ${end} >&2\n`,
  };
  // Turns off the start files of shells that the script starts, and the login's echo (set -v, -x).
  return `unset BASH_ENV ENV\nset +vx\nanswer_of() {\n${script}\n}\n${tail[framing]}`;
}

/** Reads a script's output. `stdout` may have both streams, as in the command plugin's error. */
export function readAnswer(script: string, { stdout = "", stderr = "" }: Partial<Record<"stdout" | "stderr", string>>) {
  const token = parseToken(script);
  const [printed = "", said] = stdout.split(`\n${formatMark("failed", token)}\n`);
  const [out, err] = [cut(printed, token), cut(stderr, token)];
  return {
    /** True if the script's end mark was printed. */
    isDone: out.isEnded || err.isEnded,
    stdout: out.isBegun ? out.text : "",
    stderr: said ?? err.text,
  };
}

function cut(printed: string, token: string) {
  const begin = `\n${formatMark("answer", token)}\n`;
  const from = printed.indexOf(begin);
  const isBegun = from >= 0;
  const text = isBegun ? printed.slice(from + begin.length) : printed;
  const end = text.indexOf(`${isBegun ? "" : "\n"}${formatMark("done", token)}`);
  return { isBegun, isEnded: end >= 0, text: end < 0 ? text : text.slice(0, end) };
}

const parseToken = (script: string) => /pillar-host-done-([0-9a-f]{32})/.exec(script)?.[1] ?? "unmarked";

/** Returns a stream that passes only the standard output of a `streamed` script. */
export function answerStream(script: string): Transform {
  const token = parseToken(script);
  const [begin, end] = [Buffer.from(`\n${formatMark("answer", token)}\n`), Buffer.from(formatMark("done", token))];
  let place: "before" | "within" | "after" = "before";
  let rest: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, taken) {
      rest = place === "after" ? Buffer.alloc(0) : Buffer.concat([rest, chunk]);
      if (place === "before") {
        const at = rest.indexOf(begin);
        if (at >= 0) place = "within";
        rest = rest.subarray(at < 0 ? -begin.length : at + begin.length);
      }
      if (place === "within") {
        const at = rest.indexOf(end);
        if (at >= 0) place = "after";
        const own = at < 0 ? rest.length - sharedBytes(rest, end) : at;
        if (own > 0) this.push(rest.subarray(0, own));
        rest = rest.subarray(own);
      }
      taken();
    },
    flush(taken) {
      if (place === "within" && rest.length > 0) this.push(rest);
      taken();
    },
  });
}

function sharedBytes(piece: Buffer, mark: Buffer): number {
  for (let count = Math.min(piece.length, mark.length - 1); count > 0; count -= 1)
    if (piece.subarray(-count).equals(mark.subarray(0, count))) return count;
  return 0;
}

/** Returns a failed step's own words from the command plugin's error, or else its first line, then what was printed before. */
export function formatStepError(script: string, error: string, isQuiet = false): string {
  const { stdout, stderr } = readAnswer(script, { stdout: error });
  const [head = "", ...answer] = error.split(formatMark("answer", parseToken(script)));
  const [first = "", ...login] = head.trim().split("\n");
  const isExit = first.startsWith("Process exited");
  const words = stderr.trim() || (answer.length > 0 && first) || (isExit && login.join("\n").trim()) || head.trim();
  const before = isQuiet ? "" : stdout.trim().replace(/^(?=.)/gm, "  ");
  return before ? `${words}\nPrinted before:\n${before}` : words;
}

export const plainLogin =
  "use a login shell that runs commands (getent passwd USER shows it; /bin/true is none), with\n  start files (.bashrc, .profile, .zshenv) that neither exit nor exec where no terminal is.";

export const otherCommand =
  "Or sshd runs another command: ForceCommand in sshd_config, command= before the key in authorized_keys.";

export function formatNotRun(what: string, printed: string): string {
  const said = printed.trim().split("\n")[0]?.slice(0, 200);
  return formatProblem({
    what: `the login did not run ${what} to its end`,
    found: said ? `"${said}"` : "no output",
    needed: plainLogin,
    next: [
      "Does the host ask for another user? Set it in this host's login settings.",
      otherCommand,
      "Once that is corrected, this must print works: ssh USER@HOST 'echo works'",
    ],
  });
}
