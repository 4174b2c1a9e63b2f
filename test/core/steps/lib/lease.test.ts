import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { asRoot } from "../../../../core/ssh/root.ts";
import { formatAssignments } from "../../../../core/ssh/shellWords.ts";
import { readOrchestratorLibrary } from "../../../../core/steps/libraries.ts";
import { test as base } from "../../orchestrator/localRoot.ts";

const test = base.extend("stage", ({ root }, { onCleanup }) => {
  const state = join(root.scratch, "state");
  const lock = join(state, "job.lock");
  const sshd = join(root.scratch, "sshd");
  mkdirSync(state);
  // A process is called as the file that it was started by.
  symlinkSync("/bin/bash", sshd);
  const sessions: ChildProcess[] = [];
  onCleanup(() => sessions.forEach((session) => void session.kill("SIGKILL")));
  return {
    root,
    lock,
    write: (text: string) => writeFileSync(lock, text),
    read: () => readFileSync(lock, "utf8"),
    /** Returns the second of Unix time at which the lease ends, by the lock. */
    end: () => Number(readFileSync(lock, "utf8").split(" ")[1]),
    /** Tries to take the lease from this process, as a run of a stack does. */
    take: async (token: string, stack = "prod") => (await root.call(`lease_take job 30 ${stack}`, { token })).trim(),
    owned: (token: string) => root.call("lease_owned job 30 prod 'another run has taken it'", { token }),
    /** Takes the lease through an ssh session, which lives until it is ended. */
    session: async (token: string) => {
      const functions = readOrchestratorLibrary().split(asRoot)[1] ?? "";
      const variables = { state, host_name: "local", stack_word: "prod", token };
      const text = `${functions}\n${formatAssignments(variables)}lease_take job 30 prod < /dev/null`;
      const child = spawn(sshd, ["-c", 'bash -euo pipefail -c "$1"; read -r _', "sshd", text], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      sessions.push(child);
      expect(String((await once(child.stdout, "data"))[0])).toBe("taken\n");
      return child;
    },
  };
});

const now = () => Math.floor(Date.now() / 1000);

/** Expects a lease until a second of Unix time, for the time that is left now: a slow machine has used some of it. */
function expectHeld(answer: string, until: number, by: readonly string[] = ["-"]) {
  const [word, left, ...holder] = answer.split(" ");
  const leftNow = until - Math.ceil(Date.now() / 1000);
  expect([word, ...holder]).toEqual(["held", ...by]);
  expect(Number(left)).toBeGreaterThanOrEqual(leftNow);
  expect(Number(left)).toBeLessThanOrEqual(leftNow + 30);
}

test("waits for another run's lease while its session lives; who lost it does nothing more", async ({ stage }) => {
  const session = await stage.session("first");
  // The login is named, so that an operator finds whose it is.
  expectHeld(await stage.take("second"), stage.end(), [String(session.pid), "prod"]);
  session.kill("SIGKILL");
  await once(session, "exit");
  expect(await stage.take("second")).toBe("taken");
  expect(stage.read()).toMatch(/^second /);
  const refused = { exitCode: 75, message: expect.stringContaining("local: another run has taken it\n") };
  await expect(stage.owned("first")).rejects.toMatchObject(refused);
  await stage.owned("second");
});

test("another stack waits until its time is over: after a lost connection the run comes back", async ({ stage }) => {
  const session = await stage.session("first");
  session.kill("SIGKILL");
  await once(session, "exit");
  expectHeld(await stage.take("other", "prod-2"), stage.end(), [String(session.pid), "prod"]);
  await stage.owned("first");
  stage.write(stage.read().replace(/ \d+ /, ` ${now() - 1} `));
  expect(await stage.take("other", "prod-2")).toBe("taken");
});

test("a reused process number is no session", async ({ stage }) => {
  const session = await stage.session("first");
  stage.write(`first ${stage.end()} ${session.pid}:1 prod\n`);
  expect(await stage.take("second")).toBe("taken");
});

test("without a known session, only time ends a lease; its own run goes on after that", async ({ stage }) => {
  const end = now() + 30;
  stage.write(`first ${end} - prod\n`);
  expectHeld(await stage.take("second"), end, ["-", "prod"]);
  expect(await stage.take("first")).toBe("taken");
  stage.write(`first ${now() - 1} - prod\n`);
  await stage.owned("first");
  stage.write(`first ${now() - 1} - prod\n`);
  expect(await stage.take("second")).toBe("taken");
});

test("a clock that was set back does not keep a lease", async ({ stage }) => {
  stage.write(`first ${now() + 59} - prod\n`);
  expect(await stage.take("second")).toMatch(/^held/);
  stage.write(`first ${now() + 3600} - prod\n`);
  expect(await stage.take("second")).toBe("taken");
});

test("a run is at work in a call that takes longer than its lease", async ({ stage }) => {
  const atWork = () =>
    stage.root.call("lease_at_work job 30", {}).then(
      () => true,
      () => false,
    );
  expect(await atWork()).toBe(false);
  await stage.take("first");
  expect(await atWork()).toBe(true);
  stage.write(`first ${now() - 1} - prod\n`);
  expect(await atWork()).toBe(false);
  const call = spawn("flock", [stage.lock.replace(".lock", ".flock"), "-c", "echo in; read -r _"]);
  await once(call.stdout, "data");
  expect(await atWork()).toBe(true);
  call.stdin.end();
  await once(call, "exit");
  expect(await atWork()).toBe(false);
});

test("a damaged file is no lease", async ({ stage }) => {
  stage.write("what is this\n");
  expect(await stage.take("first")).toBe("taken");
});
