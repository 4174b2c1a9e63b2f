import crypto from "node:crypto";
import { Transform } from "node:stream";

/**
 * How a script's own output is told from that of the login, whose start files may print, or end the shell with exit code 0.
 *
 * - `shown`: an operator reads it. Its end alone is marked, on standard error, which the command plugin keeps and does not show.
 * - `captured`: a result of some lines, which is printed only when the script has ended.
 * - `streamed`: a result of any length. Both streams are marked at their beginning and end.
 */
export type Framing = "shown" | "captured" | "streamed";

const markOf = (what: "answer" | "done", token: string) => `pillar-host-${what}-${token}`;

/** Wraps a script so that {@link readAnswer} knows its output. Its token is the same for the same script. */
export function framed(script: string, framing: Framing): string {
  const token = crypto.createHash("sha256").update(script).digest("hex").slice(0, 32);
  // A shell that echoes what it reads never prints one of them as a line.
  const [begin, end] = [`printf '\\n%s\\n' '${markOf("answer", token)}'`, `printf '%s\\n' '${markOf("done", token)}'`];
  const tail = {
    shown: `(answer_of "$@")\necho >&2; ${end} >&2\n`,
    // Bash forgets `set -e` in a command substitution.
    captured: `answer=$(set -e; answer_of "$@")\n${begin}; printf '%s\\n' "$answer"; ${end}\n`,
    streamed: `${begin}; ${begin} >&2\n(answer_of "$@")\n${end}; echo >&2; ${end} >&2\n`,
  };
  // Start files of shells that the script starts, and what a login has all its shells echo.
  return `unset BASH_ENV ENV\nset +vx\nanswer_of() {\n${script}\n}\n${tail[framing]}`;
}

export interface ScriptAnswer {
  /** The script ran to its end, by its own word. */
  readonly isDone: boolean;
  /** The script's output alone; with a mark at its end only, the login's too. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Reads what {@link framed} marked in what a command printed. */
export function readAnswer(script: string, { stdout, stderr }: Pick<ScriptAnswer, "stdout" | "stderr">): ScriptAnswer {
  const token = tokenOf(script);
  const [out, err] = [cut(stdout, token), cut(stderr, token)];
  const isMarked = script.includes(markOf("answer", token));
  return {
    isDone: out.isEnded || err.isEnded,
    stdout: isMarked && !out.isBegun ? "" : out.text,
    stderr: err.text,
  };
}

function cut(printed: string, token: string) {
  const begin = `\n${markOf("answer", token)}\n`;
  const from = printed.indexOf(begin);
  const isBegun = from >= 0;
  const text = isBegun ? printed.slice(from + begin.length) : printed;
  const end = text.indexOf(`${isBegun ? "" : "\n"}${markOf("done", token)}`);
  return { isBegun, isEnded: end >= 0, text: end < 0 ? text : text.slice(0, end) };
}

const tokenOf = (script: string) => /pillar-host-done-([0-9a-f]{32})/.exec(script)?.[1] ?? "unmarked";

/** Lets through what a `streamed` script printed on standard output, and nothing else. */
export function answerStream(script: string): Transform {
  const token = tokenOf(script);
  const [begin, end] = [Buffer.from(`\n${markOf("answer", token)}\n`), Buffer.from(markOf("done", token))];
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

/** Returns how many bytes at the end of a piece may be the beginning of a mark. */
function sharedBytes(piece: Buffer, mark: Buffer): number {
  for (let count = Math.min(piece.length, mark.length - 1); count > 0; count -= 1)
    if (piece.subarray(-count).equals(mark.subarray(0, count))) return count;
  return 0;
}

/** Returns the user that a cloud's image wants to log in, where its login for another one says so and ends. */
export function otherUser(printed: string): string | undefined {
  return /login as the user "?([A-Za-z_][A-Za-z0-9_-]{0,31})\b/i.exec(printed)?.[1];
}

/** Says that the login ended well without running what it was given, and how that is seen and ended. */
export function notRunText(what: string, printed: string): string {
  const said = printed.trim().split("\n")[0]?.slice(0, 200);
  const user = otherUser(printed);
  if (user !== undefined)
    return `the login did not run ${what}\n  found: "${said}"\n  needed: user: ${user}, in the configuration of this host's login`;
  return [
    `the login did not run ${what} to its end, though it ended with exit code 0`,
    `  found: ${said ? `"${said}"` : "no output"}`,
    "  needed: a login shell that runs commands (getent passwd USER shows it; /bin/true is none), with",
    "  start files (.bashrc, .profile, .zshenv) that neither exit nor exec where no terminal is.",
    "  Or sshd runs another one: ForceCommand in sshd_config, command= before the key in authorized_keys.",
    "  To test it: ssh USER@HOST 'echo works' must print works",
  ].join("\n");
}
