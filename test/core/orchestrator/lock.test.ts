import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { asRoot } from "../../../core/ssh/root.ts";
import { formatAssignments } from "../../../core/ssh/shellWords.ts";
import { readOrchestratorLibrary } from "../../../core/steps/libraries.ts";
import { test as base } from "./localRoot.ts";

const test = base.extend("stage", ({ root }, { onCleanup }) => {
  const state = join(root.scratch, "state");
  const lock = join(state, "orchestrator.lock");
  const sshd = join(root.scratch, "sshd");
  mkdirSync(state);
  // A process is called as the file that it was started by.
  symlinkSync("/bin/bash", sshd);
  const sessions: ChildProcess[] = [];
  onCleanup(() => sessions.forEach((session) => void session.kill("SIGKILL")));
  return {
    root,
    lock,
    /** Returns the second of Unix time at which the lease ends, by the lock. */
    end: () => Number(readFileSync(lock, "utf8").split(" ")[1]),
    /** Tries to take the lock from this process, as a run does. */
    take: async (token: string) => (await root.call("signer_take_lock", { token, orchestrator_lock: lock })).trim(),
    /** Takes the lock through an ssh session, which lives until it is ended. */
    session: async (token: string) => {
      const functions = readOrchestratorLibrary().split(asRoot)[1] ?? "";
      const variables = { state, host_name: "local", stack_word: "prod", token, orchestrator_lock: lock };
      const text = `${functions}\n${formatAssignments(variables)}signer_take_lock < /dev/null`;
      const child = spawn(sshd, ["-c", 'bash -euo pipefail -c "$1"; read -r _', "sshd", text], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      sessions.push(child);
      expect(String((await once(child.stdout, "data"))[0])).toBe("taken\n");
      return child;
    },
  };
});

/** Expects a lock until a second of Unix time, for the time that is left now: a slow machine has used some of it. */
function expectHeld(answer: string, until: number, pid?: number) {
  const [word, left, holder] = answer.split(" ");
  const leftNow = until - Math.ceil(Date.now() / 1000);
  expect([word, holder]).toEqual(["held", pid === undefined ? undefined : String(pid)]);
  expect(Number(left)).toBeGreaterThanOrEqual(leftNow);
  expect(Number(left)).toBeLessThanOrEqual(leftNow + 30);
}

test("waits for another run's lease while its session lives; who lost it does nothing more", async ({ stage }) => {
  const session = await stage.session("first");
  // The login is named, so that an operator finds whose it is.
  expectHeld(await stage.take("second"), stage.end(), session.pid);
  session.kill("SIGKILL");
  await once(session, "exit");
  expect(await stage.take("second")).toBe("taken");
  expect(readFileSync(stage.lock, "utf8")).toMatch(/^second /);
  const { root, lock: orchestrator_lock } = stage;
  const flush = (token: string) => root.call("signer_flush", { token, orchestrator_lock, receive_into: root.scratch });
  await expect(flush("first")).rejects.toThrow("another run has taken this move over");
  await flush("second");
});

test("a reused process number is no session", async ({ stage }) => {
  const session = await stage.session("first");
  writeFileSync(stage.lock, `first ${stage.end()} ${session.pid}:1\n`);
  expect(await stage.take("second")).toBe("taken");
});

test("without a known session, only time ends a lease", async ({ stage }) => {
  const now = Math.floor(Date.now() / 1000);
  writeFileSync(stage.lock, `first ${now + 30}\n`);
  expectHeld(await stage.take("second"), now + 30);
  expect(await stage.take("first")).toBe("taken");
  writeFileSync(stage.lock, `first ${now - 1}\n`);
  expect(await stage.take("second")).toBe("taken");
});
