import { describe, expect } from "vitest";
import { readAnswer } from "../../../../core/ssh/answer.ts";
import { createEnvelope, type Step } from "../../../../core/steps/step.ts";
import { replaceAll, type Sandbox, test } from "../sandbox.ts";

const password = "hunter2";
// Shows every line that reaches it, as a script that is read from standard input would run them.
const step = { name: "look", limitSeconds: 5, readsOnly: true, script: "cat <<'END'\nfirst line\nEND\nenv > seen\n" };

// Like sudo, it remembers a correct password for the next call of the same process, unless -k is given; if no password
// is needed, standard input is left to the command.
const sudo = `
printf '%s\\n' "$*" >> "$sandbox/sudo.calls"
asks=$(cat "$sandbox/asks") quiet= read= forget=
while :; do case \${1:-} in -n) quiet=yes; shift ;; -S) read=yes; shift ;; -k) forget=yes; shift ;; -p) shift 2 ;; *) break ;; esac; done
if [ "$asks" = never ]; then exec "$@"; fi
if [ -e "$sandbox/says" ]; then
  [ -z "$read" ] || { printf 'password of %s:' "$(cat "$sandbox/whose" 2> /dev/null || echo op)"; cat > /dev/null; } >&2
  cat "$sandbox/says" >&2; exit 1
fi
ticket=$sandbox/ticket-$PPID
if [ -z "$forget" ] && [ -e "$ticket" ]; then exec "$@"; fi
if [ -n "$quiet" ] || [ -z "$read" ]; then echo "sudo: a password is required" >&2; exit 1; fi
while IFS= read -r line; do
  if [ "$line" = ${password} ]; then
    [ -n "$forget" ] || : > "$ticket"
    [ ! -e "$sandbox/ahead" ] || head -c $((8191 - \${#line})) > /dev/null
    exec "$@"
  fi
  echo "Sorry, try again." >&2
done
exit 1`;

const to = (sudoPassword = "") => ({ hostName: "203.0.113.7", stack: "prod", sudoPassword });

/** Sends a step as the user op (1000) to a host whose sudo asks so. */
function become(box: Sandbox, asks: "never" | "always", configured?: string, sent: Step = step) {
  box.command("id", `if [ "$1" = -u ]; then cat "$sandbox/uid" 2> /dev/null || echo 1000; else echo op; fi`);
  box.command("sudo", sudo);
  box.write("asks", asks);
  return box.run(box.inside(createEnvelope(sent, to(configured))));
}

describe("a user other than root", () => {
  test.for([
    ["without a password", "never", undefined],
    ["without a password though one is configured", "never", password],
    ["with a password", "always", password],
    ["that reads ahead of the password, as sudo-rs does", "always", password],
  ] as const)(
    "runs the script with only its own text as input, by sudo %s",
    async ([what, asks, configured], { box }) => {
      if (what.includes("ahead")) box.write("ahead", "");
      const { code, ...printed } = await become(box, asks, configured);
      const answer = readAnswer(createEnvelope(step, to(configured)), printed);
      expect([code, answer]).toMatchObject([0, { isDone: true, stdout: "first line\n", stderr: "" }]);
      expect(box.read("seen")).not.toContain(password);
      expect(box.read("sudo.calls")).not.toContain(password);
    },
  );

  const wanted = "needed: pulumi config set --secret --path pillar-host:ssh.sudoPassword -s prod\n";
  const refused = (whose: string, said: string) =>
    `sudo refused the password of ${whose}\n  found: a wrong one in pillar-host:ssh.sudoPassword (${said})\n  ${wanted}`;
  const noSudo = (said: string) =>
    `sudo does not let op become root\n  found: ${said}\n` +
    "  needed: every command for op, without a terminal. As root on the host, with visudo: op ALL=(ALL:ALL) ALL\n" +
    "  or: pulumi config set --path pillar-host:ssh.user root -s prod\n";
  const unset = `sudo wants a password for op, and none is configured\n  ${wanted}`;
  const [failed, attempt] = ["sudo: Authentication failed, try again.", "sudo: 1 incorrect password attempt"];
  const limited = "Sorry, user op is not allowed to execute 'bash'";
  const unknown = "sudo: /etc/sudo.conf is owned by uid 1000";
  const lecture = "\nWe trust you have received the usual lecture.\n\nop is not in the sudoers file.";

  test.for<[string, string | undefined, string | undefined, string]>([
    ["no password is configured", undefined, undefined, unset],
    ["no password is configured for sudo-rs", "sudo: interactive authentication is required", undefined, unset],
    ["a wrong password", undefined, "wrong-one", refused("op", "Sorry, try again.")],
    ["sudo-rs: a wrong password", failed, password, refused("op", failed)],
    ["rootpw", `whose:root\n${attempt}`, password, refused("root", attempt)],
    ["not in the sudoers", lecture, password, noSudo("op is not in the sudoers file.")],
    ["some commands only", limited, undefined, noSudo(limited)],
    ["an unknown message", unknown, password, noSudo(unknown)],
    ["no message", "", password, noSudo("sudo printed nothing")],
  ])("hears why sudo refuses, and nothing runs: %s", async ([, says, configured, words], { box }) => {
    const whose = /^whose:(.*)\n/.exec(says ?? "");
    if (whose?.[1]) box.write("whose", whose[1]);
    if (says !== undefined) box.write("says", `${says.slice(whose?.[0].length ?? 0)}\n`);
    expect(await become(box, "always", configured)).toEqual({ code: 1, stdout: "", stderr: `203.0.113.7: ${words}` });
    expect(box.read("seen")).toBeUndefined();
  });

  test("hears that there is no sudo", async ({ box }) => {
    box.command("id", `if [ "$1" = -u ]; then echo 1000; else echo op; fi`);
    const text = replaceAll(createEnvelope(step, to(password)), [["command -v sudo", "command -v no-such-sudo"]]);
    expect((await box.run(text)).stderr).toBe(`203.0.113.7: ${noSudo("there is no sudo")}`);
  });

  test("returns the command's exit code, and stops a step at its time limit", async ({ box }) => {
    expect((await become(box, "always", password, { ...step, script: "exit 7\n" })).code).toBe(7);
    expect((await become(box, "never", undefined, { ...step, limitSeconds: 1, script: "sleep 30\n" })).code).toBe(124);
  });
});

test("nothing of the login's environment reaches the script", async ({ box }) => {
  box.command("id", "echo 0");
  const hostile = "export http_proxy=x TAR_OPTIONS=-v BASH_ENV=/x; cat() { echo wrong; }; export -f cat\n";
  const envelope = createEnvelope(step, to());
  const printed = await box.run(hostile + box.inside(envelope));
  expect(readAnswer(envelope, printed)).toMatchObject({ isDone: true, stdout: "first line\n" });
  const names = box
    .read("seen")
    ?.split("\n")
    .map((line) => line.replace(/=.*/, ""));
  expect(names?.sort()).toEqual(["", ...["HOME", "LC_ALL", "PATH", "PWD", "SHLVL", "TMPDIR", "_", "sandbox"]]);
});

test("uses no sudo as root", async ({ box }) => {
  box.write("uid", "0\n");
  const { code, ...printed } = await become(box, "never", password);
  const { stdout } = readAnswer(createEnvelope(step, to(password)), printed);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "first line\n" });
  expect(box.read("sudo.calls")).toBeUndefined();
});
