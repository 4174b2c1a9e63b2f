import { hostname, userInfo } from "node:os";
import { describe, expect, test } from "vitest";
import type { ProcessResult } from "../../cli/pulumi/pulumiCommand.ts";
import { clearStale } from "../../cli/resume.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { scratchDirectory } from "../scratchDirectory.ts";
import { typeTool } from "./fakePulumi.ts";
import { runningPulumi } from "./runningPulumi.ts";

const gate = "pulumi-nodejs:sync:Gate";
const server = "hcloud:index/server:Server";
/** No process has that number. */
const free = 4_194_305;
const me = userInfo().username;
const who = `process ${free} of ${me} on ${hostname()}, since 2026-11-21 14:49 UTC`;
const lockText = `error: the stack is currently locked by 1 lock(s). Either wait …\n  file:///x.json: created by ${me}@${hostname()} (pid ${free}) at 2026-11-21T14:49:32Z\n`;
const cloudText = "error: [409] Conflict: Another update is currently in progress.";
const refresh = "refresh --yes --skip-preview --run-program=false --exclude **";

/** Creates a stack that is locked, has pending creations or fails, and records the commands that ran on it. */
function stackOf(state: { locked?: boolean | string; pending?: string[]; fault?: string; relocks?: boolean }) {
  const ran: string[] = [];
  const said: string[] = [];
  let { locked = false, pending = [] } = state;
  const run = async (args: readonly string[]): Promise<ProcessResult> => {
    ran.push(args.join(" "));
    const [command] = args;
    if (command === "stack") {
      const operations = pending.map((type, i) => ({ type: "creating", resource: { type, urn: `urn::thing${i}` } }));
      const deployment = { resources: [], pending_operations: operations };
      return { exitCode: 0, stdout: JSON.stringify({ deployment }), stderr: "" };
    }
    if (command === "cancel") locked = state.relocks === true;
    else if (state.fault !== undefined) return { exitCode: 1, stdout: "", stderr: state.fault };
    else if (locked) return { exitCode: 255, stdout: "", stderr: locked === true ? lockText : locked };
    else if (args.includes("--clear-pending-creates")) pending = [];
    return { exitCode: 0, stdout: "", stderr: "" };
  };
  const engine = { run, read: async (args: readonly string[]) => (await run(args)).stdout };
  const clear = (isStale = false) => clearStale("prod", engine, isStale, (line) => said.push(line));
  return { clear, ran, said, left: () => ({ locked, pending }) };
}

describe("after a killed run", () => {
  const clearing = `${refresh} --clear-pending-creates`;

  test("clears nothing and prints nothing if nothing is stale", async () => {
    const { clear, ran, said } = stackOf({});
    await clear();
    expect([ran, said]).toEqual([["stack export", refresh], []]);
  });

  test("clears a lock and a creation once, and reports both", async () => {
    const { clear, ran, said, left } = stackOf({ locked: true, pending: [gate] });
    await clear();
    expect(ran).toEqual(["stack export", clearing, "cancel --yes", "stack export", clearing]);
    const cleared = [`the lock of ${who}, which has ended`, `the interrupted creation of thing0 (${gate})`];
    expect(said).toEqual(cleared.map((each) => `cleared: ${each}`));
    expect(left()).toEqual({ locked: false, pending: [] });
  });

  test("touches nothing while the lock's run lives", async () => {
    const run = await runningPulumi();
    const locked = lockText.replace(String(free), String(run.pid));
    const { clear, ran, left } = stackOf({ locked, pending: [gate] });
    for (const isStale of [false, true])
      await expect(clear(isStale)).rejects.toThrow(
        `prod is locked by a run that is still running: ${who.replace(String(free), String(run.pid))}
  needed: wait until that run has ended; to follow it: ./pillar-host status prod --watch
  Or stop that run (Ctrl-C, twice if it waits for the sync; or: kill -INT ${run.pid}), then: ./pillar-host resume prod`,
      );
    await run.end();
    expect(ran).not.toContain("cancel --yes");
    expect(left()).toEqual({ locked, pending: [gate] });
  });

  test.each([
    ["without a named holder", cloudText, "a run that the backend does not name"],
    ["of another machine", lockText.replace(hostname(), "laptop"), who.replace(hostname(), "laptop")],
    ["of another user", lockText.replace(me, "ada"), who.replace(me, "ada")],
  ])("clears a lock %s only with --lock-is-stale", async (_, locked, holder) => {
    const { clear, ran, said } = stackOf({ locked });
    await expect(clear()).rejects.toThrow(
      `prod is locked by ${holder}; this machine can't check whether that run is still running
  needed: wait until that run has ended. If you know that it has ended: ./pillar-host resume prod --lock-is-stale`,
    );
    expect(ran).not.toContain("cancel --yes");
    await clear(true);
    expect(said).toEqual([`cleared: the lock of ${holder}, because of --lock-is-stale`]);
  });

  test("clears the lock but no creation if a server may exist, and runs no up", async () => {
    const { clear, ran, said, left } = stackOf({ locked: true, pending: [gate, server] });
    await expect(clear()).rejects.toThrow(`  found: thing1 (${server})\n  needed: look in your provider's console`);
    expect(ran.filter((line) => line.includes("clear-pending"))).toEqual([]);
    expect(said).toHaveLength(1);
    expect(left()).toEqual({ locked: false, pending: [gate, server] });
  });

  test("fails with pulumi's reason for an error other than a lock", async () => {
    const { clear } = stackOf({ fault: "error: the disk is full" });
    await expect(clear()).rejects.toThrow(new ProblemError({ what: "pulumi refresh failed: the disk is full" }));
  });

  test("stops clearing a lock that comes back each time", async () => {
    const { clear, ran } = stackOf({ locked: true, relocks: true });
    await expect(clear()).rejects.toThrow(/currently locked by 1 lock/);
    expect(ran.filter((line) => line === "cancel --yes")).toHaveLength(2);
  });
});

const place = scratchDirectory();

test("asks for the pass phrase once, also if the run that it opens fails for another reason", async () => {
  const locked = "error: [409] Conflict: Another update is currently in progress.";
  const pulumi = `case "$*" in
"stack export"*) echo '{"deployment":{}}';;
"config "*|"refresh "*) [ -n "$PULUMI_CONFIG_PASSPHRASE" ] || { echo "error: passphrase must be set" >&2; exit 255; }; echo '${locked}' >&2; exit 255;;
esac`;
  const answer = { seen: /Pass phrase of stack prod-2:/, reply: "four random words\r" };
  const size = { columns: 80, rows: 24 };
  const { exitCode, screen } = await typeTool(place(), pulumi, "./pillar-host resume prod-2", size, [answer]);
  expect([exitCode, screen]).toEqual([2, expect.stringContaining("prod-2 is locked by a run that")]);
});
