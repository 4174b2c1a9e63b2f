import { describe, expect } from "vitest";
import { readAnswer } from "../../../../core/ssh/answer";
import { createEnvelope, type Step } from "../../../../core/steps/step";
import { test } from "../boxed";
import { replaceAll, type Sandbox } from "../sandbox";

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
  return box.run(createEnvelope(sent, to(configured)));
}

describe("a user other than root", () => {
  test.for([
    ["without a password", "never", undefined],
    ["without a password though one is configured", "never", password],
    ["with a password", "always", password],
  ] as const)(
    "runs the script with nothing but its own text as input, by sudo %s",
    async ([_what, asks, configured], { box }) => {
      const { code, ...printed } = await become(box, asks, configured);
      const { isDone, stdout, stderr } = readAnswer(createEnvelope(step, to(configured)), printed);
      expect([isDone, stderr]).toEqual([true, ""]);
      expect(stdout).toBe("first line\n");
      expect(code).toBe(0);
      expect(box.read("seen")).not.toContain(password);
      expect(box.read("sudo.calls")).not.toContain(password);
    },
  );

  test("keeps the script from a sudo that reads beyond the password, as sudo-rs does", async ({ box }) => {
    box.write("ahead", "");
    const printed = await become(box, "always", password);
    expect(readAnswer(createEnvelope(step, to(password)), printed)).toMatchObject({
      isDone: true,
      stdout: "first line\n",
    });
  });

  test("reports that sudo needs a password that is not configured", async ({ box }) => {
    const { code, stdout, stderr } = await become(box, "always");
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toBe(
      "203.0.113.7: sudo wants a password for op, and none is configured\n" +
        "  needed: pulumi config set --secret --path pillar-host:ssh.sudoPassword -s prod\n",
    );
  });

  test.for([
    [
      "always",
      "sudo refused the password of op\n" +
        "  found: a wrong one in pillar-host:ssh.sudoPassword (Sorry, try again.)\n" +
        "  needed: pulumi config set --secret --path pillar-host:ssh.sudoPassword -s prod\n",
    ],
  ] as const)("hides a refused password (%s) and runs nothing", async ([asks, said], { box }) => {
    const { code, stdout, stderr } = await become(box, asks, "wrong-one");
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: `203.0.113.7: ${said}` });
    expect(box.read("seen")).toBeUndefined();
  });

  const wanted = "pulumi config set --secret --path pillar-host:ssh.sudoPassword -s prod";
  test.for<[string, string, string | undefined, string[]]>([
    [
      "not in the sudoers",
      "\nWe trust you have received the usual lecture.\n\nop is not in the sudoers file.\n",
      password,
      [
        "the user op may not use sudo",
        "found: op is not in the sudoers file.",
        "needed: sudo for op (as root on the host: usermod -aG sudo op, or wheel)",
        "or: pulumi config set --path pillar-host:ssh.user root -s prod",
      ],
    ],
    [
      "sudo-rs: none for this user, or some commands only",
      "sudo: I'm sorry op. I'm afraid I can't do that\n",
      password,
      [
        "the user op may not run a shell with sudo",
        "found: sudo: I'm sorry op. I'm afraid I can't do that",
        "needed: every command, as root on the host with visudo: op ALL=(ALL:ALL) ALL",
      ],
    ],
    [
      "some commands only",
      "Sorry, user op is not allowed to execute '/usr/bin/bash -c :' as root on h.\n",
      undefined,
      [
        "the user op may not run a shell with sudo",
        "found: Sorry, user op is not allowed to execute '/usr/bin/bash -c :' as root on h.",
        "needed: every command, as root on the host with visudo: op ALL=(ALL:ALL) ALL",
      ],
    ],
    [
      "requiretty",
      "sudo: sorry, you must have a tty to run sudo\n",
      undefined,
      [
        "sudo wants a terminal, and there is none",
        "found: sudo: sorry, you must have a tty to run sudo",
        "needed: as root on the host, with visudo: Defaults:op !requiretty",
      ],
    ],
    [
      "sudo-rs: a password is required",
      "sudo: interactive authentication is required\n",
      undefined,
      ["sudo wants a password for op, and none is configured", `needed: ${wanted}`],
    ],
    [
      "sudo-rs: a wrong password",
      "sudo: Authentication failed, try again.\n",
      password,
      [
        "sudo refused the password of op",
        "found: a wrong one in pillar-host:ssh.sudoPassword (sudo: Authentication failed, try again.)",
        `needed: ${wanted}`,
      ],
    ],
    [
      "a word that nobody here knows",
      "sudo: /etc/sudo.conf is owned by uid 1000, should be 0\n",
      undefined,
      [
        "sudo does not let op become root",
        "found: sudo: /etc/sudo.conf is owned by uid 1000, should be 0",
        "needed: as op on the host, this succeeds: sudo bash -c :",
      ],
    ],
    [
      "an account that is over, with a password",
      "sudo: Account expired or PAM config lacks an account section for sudo\n",
      password,
      [
        "sudo does not let op become root",
        "found: sudo: Account expired or PAM config lacks an account section for sudo",
      ],
    ],
  ])("shows sudo's own words: %s", async ([_what, says, configured, lines], { box }) => {
    box.write("says", says);
    const { code, stderr } = await become(box, "always", configured);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`203.0.113.7: ${lines.join("\n  ")}`),
    });
    expect(stderr).not.toContain(password);
  });

  test("needs another user's password with rootpw", async ({ box }) => {
    box.write("says", "Sorry, try again.\nsudo: 1 incorrect password attempt\n");
    box.write("whose", "root");
    expect((await become(box, "always", password)).stderr).toBe(
      "203.0.113.7: sudo asks for the password of root, not of op\n" +
        "  found: sudo: 1 incorrect password attempt\n" +
        "  needed: as root on the host, with visudo: Defaults:op !rootpw, !targetpw, !runaspw\n" +
        `  or the password of root: ${wanted}\n`,
    );
  });

  test("reports a host without sudo", async ({ box }) => {
    box.command("id", `if [ "$1" = -u ]; then echo 1000; else echo op; fi`);
    const text = replaceAll(createEnvelope(step, to(password)), [["command -v sudo", "command -v no-such-sudo"]]);
    expect(await box.run(text)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "203.0.113.7: the user op is not root, and there is no sudo\n" +
        "  needed: sudo for op (as root on the host: install sudo, then usermod -aG sudo op)\n" +
        "  or: pulumi config set --path pillar-host:ssh.user root -s prod\n",
    });
  });

  test("returns the command's exit code", async ({ box }) => {
    const { code } = await become(box, "always", password, { ...step, script: "exit 7\n" });
    expect(code).toBe(7);
  });

  test("stops a step at its time limit", async ({ box }) => {
    const { code } = await become(box, "never", undefined, { ...step, limitSeconds: 1, script: "sleep 30\n" });
    expect(code).toBe(124);
  });
});

test("uses no sudo as root", async ({ box }) => {
  box.write("uid", "0\n");
  const { code, stdout } = await become(box, "never", password);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "first line\n" });
  expect(box.read("sudo.calls")).toBeUndefined();
});
