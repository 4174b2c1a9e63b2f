import { describe, expect, test } from "vitest";
import { clearStale } from "../../cli/clearStale";
import type { Ran } from "../../cli/engine";
import type { LockHolder } from "../../cli/lock";
import { CliRefusal } from "../../cli/refusal";

const gate = "pulumi-nodejs:dynamic/pillar-host:SyncGate";
const server = "hcloud:index/server:Server";
const lockText =
  "error: the stack is currently locked by 1 lock(s). Either wait …\n  file:///x.json: created by ada@desk (pid 4242) at 2026-11-21T14:49:32Z\n";
const refresh = "refresh --yes --skip-preview --run-program=false --exclude **";

/** A stack that is locked, has creations pending, or fails, and remembers what was run on it. */
function stackOf(state: { locked?: boolean; pending?: string[]; fault?: string; relocks?: boolean }) {
  const ran: string[] = [];
  const said: string[] = [];
  let { locked = false, pending = [] } = state;
  const run = async (args: readonly string[]): Promise<Ran> => {
    ran.push(args.join(" "));
    const [command] = args;
    if (command === "stack") {
      const operations = pending.map((type, i) => ({ type: "creating", resource: { type, urn: `urn::thing${i}` } }));
      const deployment = { resources: [], pending_operations: operations };
      return { exitCode: 0, stdout: JSON.stringify({ deployment }), stderr: "" };
    }
    if (command === "cancel") locked = state.relocks === true;
    else if (state.fault !== undefined) return { exitCode: 1, stdout: "", stderr: state.fault };
    else if (locked) return { exitCode: 255, stdout: "", stderr: lockText };
    else if (args.includes("--clear-pending-creates")) pending = [];
    return { exitCode: 0, stdout: "", stderr: "" };
  };
  const engine = { run, read: async (args: readonly string[]) => (await run(args)).stdout };
  const clear = (seen: LockHolder = { kind: "nothing" }, lockIsStale = false) =>
    clearStale("prod", engine, {
      lockIsStale,
      here: "desk",
      processSeen: async () => seen,
      say: (line) => said.push(line),
    });
  return { clear, ran, said, left: () => ({ locked, pending }) };
}

describe("what a killed run left", () => {
  test("nothing: nothing is cleared, and nothing said", async () => {
    const { clear, ran, said } = stackOf({});
    expect(await clear()).toBe(false);
    expect(ran).toEqual(["stack export", refresh]);
    expect(said).toEqual([]);
  });

  test("a lock and a creation: both are cleared, once, and told", async () => {
    const { clear, ran, said, left } = stackOf({ locked: true, pending: [gate] });
    expect(await clear()).toBe(true);
    expect(ran).toEqual([
      "stack export",
      `${refresh} --clear-pending-creates`,
      "cancel --yes",
      "stack export",
      `${refresh} --clear-pending-creates`,
    ]);
    expect(said).toEqual([
      "lock: process 4242 of ada on desk, since 2026-11-21 14:49 UTC. That run is gone: cleared (pulumi cancel).",
      `cut off: the creation of thing0 (${gate}), which is safe to run again: cleared.`,
    ]);
    expect(left()).toEqual({ locked: false, pending: [] });
  });

  test("a creation only, as after a resume that was killed behind its cancel", async () => {
    const { clear, ran } = stackOf({ pending: [gate, "command:remote:Command"] });
    expect(await clear()).toBe(true);
    expect(ran).toEqual(["stack export", `${refresh} --clear-pending-creates`]);
  });

  test("a lock of a run that lives: nothing is touched", async () => {
    const { clear, ran, left } = stackOf({ locked: true, pending: [gate] });
    const lives: LockHolder = { kind: "process", name: "pulumi", startedAt: Date.parse("2026-11-21T14:49:30Z") };
    for (const lockIsStale of [false, true]) await expect(clear(lives, lockIsStale)).rejects.toThrow(/that is at work/);
    expect(ran).not.toContain("cancel --yes");
    expect(left()).toEqual({ locked: true, pending: [gate] });
  });

  test("a server that may be there: the lock goes, no creation does, and no up follows", async () => {
    const { clear, ran, said, left } = stackOf({ locked: true, pending: [gate, server] });
    await expect(clear()).rejects.toThrow(`  - thing1 (${server})`);
    expect(ran.filter((line) => line.includes("clear-pending"))).toEqual([]);
    expect(said).toHaveLength(1);
    expect(left()).toEqual({ locked: false, pending: [gate, server] });
  });
});

test("a fault that is no lock ends it with pulumi's reason", async () => {
  const { clear } = stackOf({ fault: "error: the disk is full" });
  await expect(clear()).rejects.toThrow(new CliRefusal("pulumi refresh failed: the disk is full"));
});

test("a lock that comes back each time is not cleared for ever", async () => {
  const { clear, ran } = stackOf({ locked: true, relocks: true });
  await expect(clear()).rejects.toThrow(/currently locked by 1 lock/);
  expect(ran.filter((line) => line === "cancel --yes")).toHaveLength(2);
});
