import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { formatStepError, frameScript } from "../../../core/ssh/answer.ts";
import { createConnection, runScript } from "../../../core/ssh/connection.ts";
import { openRoot } from "../../../core/ssh/root.ts";
import { createEnvelope, type Step } from "../../../core/steps/step.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { loginTo, sshHost, use } from "../chain/fakes.ts";

const scratch = scratchDirectory();

const library = `become_root() { "$@"; }

### from here on as root ###

say() { printf '%s\\n' "$*"; }
bytes() { printf 'a\\0b\\n\\nc'; }
nothing() { :; }
refuse() { echo "not today" >&2; exit 3; }
`;
const step = (changes: Partial<Step>): Step => ({
  name: "look",
  limitSeconds: 20,
  readsOnly: true,
  quiet: true,
  script: "echo one; bash -c 'echo two'\n",
  ...changes,
});

/** Starts a host whose login runs commands with this shell and this .bashrc. */
async function hostWith(bashrc: string, shell = "bash") {
  const home = scratch();
  writeFileSync(join(home, ".bashrc"), bashrc);
  const host = await use(sshHost(undefined, undefined, { shell, home }));
  const root = openRoot({ stack: "prod", ssh: loginTo(host) }, library);
  const connection = createConnection(loginTo(host));
  onTestFinished(() => {
    root.close();
    connection.drop();
  });
  const run = (each: Step) => {
    // The shell runs on this machine as the user of the tests.
    const script = `become_root() { "$@"; }\n${createEnvelope(each, { hostName: "h", stack: "prod" }).replace(/^become_root\(\)/m, "unused_root()")}`;
    return runScript(connection, each.name, script, 20_000);
  };
  return { root, run };
}

const printing = {
  "prints a line": "echo Welcome",
  "prints a line without its end": "printf Welcome",
  "prints on both streams, and at its end": "echo Welcome; echo Hello >&2; trap 'echo Bye; echo Bye >&2' EXIT",
  "has a file for each of its shells": 'echo "echo Welcome" > "$HOME/each"; export BASH_ENV=$HOME/each; echo Welcome',
  "shows what its shells read": "set -v; export SHELLOPTS",
};

test.each(Object.entries(printing))("a login that %s adds nothing to output or errors", async (_, bashrc) => {
  const { root, run } = await hostWith(bashrc);
  expect(await root.call("bytes")).toBe("a\0b\n\nc");
  expect(await root.call("nothing")).toBe("");
  const { stdout, done } = await root.stream("bytes");
  const chunks: Buffer[] = [];
  for await (const chunk of stdout) chunks.push(chunk as Buffer);
  await done;
  expect(Buffer.concat(chunks).toString()).toBe("a\0b\n\nc");
  expect(await run(step({}))).toEqual(["one", "two"]);
  // The login's last output comes after the error.
  const message = expect.stringMatching(/^not today(\nBye)?$/);
  await expect(root.call("refuse")).rejects.toMatchObject({ message, exitCode: 3 });
  const refusing = step({ script: "echo first; echo 'not today' >&2; exit 3\n" });
  await expect(run(refusing)).rejects.toMatchObject({ message, printed: expect.arrayContaining(["first"]) });
});

const running: Record<string, readonly [bashrc: string, shell?: string]> = {
  "whose .bashrc ends the shell where no terminal is": ['[ -n "$PS1" ] || exit 0'],
  "whose .bashrc prints and ends the shell": ["echo Welcome; exit 0"],
  "whose shell is true": ["", "/bin/true"],
  "whose .bashrc runs another program instead": ["exec cat"],
};

test.each(Object.entries(running))("a login %s is named", async (_, [bashrc, shell]) => {
  const cause = /did not run.*\n {2}found: .*\n {2}needed: .*login shell.*\n?.*start files/;
  const { root, run } = await hostWith(bashrc, shell);
  await expect(root.call("nothing")).rejects.toThrow(cause);
  const { stdout, done } = await root.stream("bytes");
  stdout.resume();
  await expect(done).rejects.toThrow(cause);
  await expect(run(step({}))).rejects.toThrow(cause);
  await expect(run(step({ quiet: false }))).rejects.toThrow(cause);
});

const line = 'Process exited with status 3: running "bash -euo pipefail -s look # to go on: pulumi up":';
const lost = line.replace("Process exited with status 3", "wait: remote command exited without exit status");
const framed = frameScript("true", "step");
const mark = (what: string) => `\npillar-host-${what}-${/done-([0-9a-f]{32})/.exec(framed)?.[1]}\n`;
const begun = `${line}\nWelcome\n${mark("answer")}`;

test.each([
  [
    "its own words first",
    `${begun}one\ntwo\n${mark("failed")}h: no\n  needed: room\n`,
    "h: no\n  needed: room\nPrinted before:\n  one\n  two",
  ],
  ["nothing else, if it printed nothing before", `${begun}${mark("failed")}h: no\n`, "h: no"],
  ["the plugin's line, if it has no words", `${begun}one\n${mark("failed")}`, `${line}\nPrinted before:\n  one`],
  ["the login's words, if it did not begin", `${line}\nWelcome\nh: sudo refused\n`, "Welcome\nh: sudo refused"],
  ["the plugin's line, if the login printed nothing", `${line}\n`, line],
  [
    "how to go on, after the connection was lost",
    `${lost}\nWelcome\n${mark("answer")}one\n`,
    `${lost}\nPrinted before:\n  one`,
  ],
  ["the whole error of a refused login", "after 11 failed attempts: ssh: no", "after 11 failed attempts: ssh: no"],
])("the error of a failed step has %s", (_, error, text) => {
  expect(formatStepError(framed, error)).toBe(text);
});

test("the error of a quiet step has nothing of its result", () => {
  expect(formatStepError(framed, `${begun}z1q\n${mark("failed")}h: no\n`, true)).toBe("h: no");
  expect(formatStepError(framed, `${begun}z1q\n`, true)).toBe(line);
});
