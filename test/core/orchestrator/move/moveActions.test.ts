import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { test as base, expect } from "vitest";
import { takeBackup } from "../../../../core/orchestrator/backup/backup.ts";
import type { BridgeNow } from "../../../../core/orchestrator/checks/bridgeState.ts";
import type { HostPair } from "../../../../core/orchestrator/hosts/hostPair.ts";
import { createMoveActions } from "../../../../core/orchestrator/move/moveActions.ts";
import { MoveRun } from "../../../../core/orchestrator/move/moveRun.ts";
import type { HostStates, Journal, Saga, WhichHost } from "../../../../core/orchestrator/rules/journal.ts";
import type { RootHost } from "../../../../core/ssh/root.ts";
import { orchestratorRpc } from "../../chain/fakes.ts";
import { confirmed, exampleCopyKey, exampleHost, exampleInputs, exampleMove, pairDouble } from "../exampleMove.ts";
import { type LocalRoot, localRoot } from "../localRoot.ts";

const saga: Saga = { move: exampleMove, direction: "forward" };
const looks: HostStates = { old: { active: false, masked: true }, new: { active: false, masked: true } };

// Two directories of this machine; listing, archive and backup are real, steps are only noted.
async function openStage() {
  const locals = { old: localRoot(), new: localRoot() };
  const directory = join(locals.old.scratch, "signer");
  const arriving = join(locals.new.scratch, "signer.arriving");
  mkdirSync(join(directory, "tss"), { recursive: true });
  mkdirSync(join(directory, "producer"));
  for (const name of ["config.json", "tss/localstate-ab.json"]) writeFileSync(join(directory, name), "{}");
  writeFileSync(join(directory, "producer/store"), "key");
  const stage = {
    directory,
    arriving,
    /** Functions that were called, on which host, in order. */
    called: [] as string[],
    /** Numbers of requests to sign in the old host's getStatus, in turn; the last one repeats. */
    toSign: [0],
    /** Problems of the new host's node by the gate's evidence. */
    node: { synced: true, why: "", known: true },
    /** State of the bridge on the chain. */
    bridge: { known: true, state: 0, key: "", why: "live" } as BridgeNow,
    /** The operator's word. */
    haltedBridge: undefined as number | undefined,
    /** The backup of a restore. */
    restoreFrom: undefined as string | undefined,
    /** Milliseconds of the sleeps, and the output. */
    slept: [] as number[],
    said: [] as string[],
    /** Runs after each copy between the hosts. */
    afterCopy: () => {},
    /** Delay the list of the new host, the flush of its disk, and the archive of the old host. */
    beforeList: Promise.resolve(),
    beforeFlush: Promise.resolve(),
    beforeArchive: Promise.resolve(),
  };
  let told = 0;
  const rpc = await orchestratorRpc((method) => {
    told += 1;
    if (method !== "getStatus") return { producer: "z1q" };
    const networks = { Ethereum: { wrapsToSign: stage.toSign[0] } };
    if (stage.toSign.length > 1) stage.toSign.shift();
    return { state: 0, stateName: "LiveState", frontierMomentum: told, networks };
  });
  const root = (side: WhichHost, local: LocalRoot): RootHost => ({
    ...local,
    address: side,
    forward: async () => net.connect(rpc.port, "127.0.0.1"),
    stream: async (name, variables) => {
      stage.called.push(`${side} ${name}`);
      if (name === "orchestrator_copy") {
        execFileSync("cp", ["-aT", directory, arriving]);
        stage.afterCopy();
        return local.stream("true");
      }
      if (name === "orchestrator_manifest" && side === "new") await stage.beforeList;
      if (name === "orchestrator_archive") await stage.beforeArchive;
      return local.stream(name, variables);
    },
  });
  const call: HostPair["call"] = async ({ side, name }) => {
    stage.called.push(`${side} ${name}`);
    if (name === "orchestrator_flush") await stage.beforeFlush;
    if (name === "orchestrator_store") return "producer\n";
    if (name === "orchestrator_read") return readFileSync(join(directory, "config.json"), "utf8");
    return name === "orchestrator_copy_key" ? exampleCopyKey : "";
  };
  const sides = pairDouble({
    roots: { old: root("old", locals.old), new: root("new", locals.new) },
    call,
    step: async (each, before) => call(each).then(() => before),
    look: async () => ({ ...looks }),
  });
  const inputs = Object.defineProperties(
    confirmed(
      exampleInputs({
        old: exampleHost("old", { directory }),
        new: exampleHost("new", { directory: arriving.replace(/\.arriving$/, "") }),
        backups: { directory: join(locals.old.scratch, "backups"), identityFile: undefined },
      }),
    ),
    {
      haltedBridge: { get: () => confirmed(exampleInputs({ haltedBridge: stage.haltedBridge })).haltedBridge },
      restoreFrom: { get: () => stage.restoreFrom },
    },
  );
  const deps = {
    now: () => Date.now(),
    say: (line: string) => void stage.said.push(line),
    ticks: () => stage.slept.reduce((sum, each) => sum + each, 0),
    sleep: async (milliseconds: number) => void stage.slept.push(milliseconds),
    readNodeSync: async () => stage.node,
    readBridge: async () => stage.bridge,
    isWatched: true,
  };
  const run = new MoveRun(inputs, sides, deps);
  const hands = createMoveActions(run);
  const close = async () => {
    for (const local of Object.values(locals)) local.close();
    await rpc.close();
  };
  return Object.assign(stage, { hands, run, close });
}
type Stage = Awaited<ReturnType<typeof openStage>>;
const test = base.extend("stage", async ({ task: _task }, { onCleanup }) => {
  const stage = await openStage();
  onCleanup(stage.close);
  return stage;
});

/** State of both hosts while the old host signs. */
const signing: HostStates = { ...looks, old: { active: true, masked: false } };

const copiesOf = (stage: Stage) => stage.called.filter((name) => name === "new orchestrator_copy");

/** Runs the steps from the stop up to the named one. */
async function upTo(stage: Stage, last: "backup" | "fence" | "copy"): Promise<void> {
  for (const step of ["stop", "backup", "fence", "copy"] as const) {
    await stage.hands.perform(step, saga, looks);
    if (step === last) return;
  }
}

test.for([
  ["compared", "beforeList"],
  ["on the disk", "beforeFlush"],
] as const)("fences the old host meanwhile; puts no copy in place before it is %s", async ([, before], { stage }) => {
  let goOn = () => {};
  stage[before] = new Promise((resolve) => {
    goOn = resolve;
  });
  await upTo(stage, "fence");
  const arriving = stage.hands.perform("copy", saga, looks);
  await setTimeout(100);
  expect(stage.called).toContain("old orchestrator_fence");
  expect(stage.called).not.toContain("new orchestrator_arrive");
  goOn();
  await arriving;
  expect(copiesOf(stage)).toHaveLength(1);
  expect(stage.called.at(-1)).toBe("new orchestrator_arrive");
});

test("a copy that fails beside the backup ends the step, which can be repeated", async ({ stage }) => {
  stage.afterCopy = () => {
    stage.beforeArchive = setTimeout(100);
    throw new Error("the connection broke");
  };
  await stage.hands.perform("stop", saga, looks);
  await expect(stage.hands.perform("backup", saga, looks)).rejects.toThrow("the connection broke");
  expect(stage.said.at(-1)).toMatch(/^backup: .*proved by decrypting/);
  const called = stage.called.length;
  await setTimeout(100);
  expect(stage.called).toHaveLength(called);
  stage.afterCopy = () => {};
  await stage.hands.perform("backup", saga, looks);
  expect(stage.run.lastBackup?.files).toBe(2);
});

test("copies and compares again what differs", async ({ stage }) => {
  let copies = 0;
  stage.afterCopy = () => {
    copies += 1;
    if (copies === 1) appendFileSync(join(stage.arriving, "producer/store"), "!");
  };
  await upTo(stage, "copy");
  expect(copies).toBe(2);
  const order = stage.called.filter((name) => /retake|new orchestrator_(copy|manifest|arrive)$/.test(name));
  expect(order).toEqual([
    ...["new orchestrator_copy", "new orchestrator_manifest", "new orchestrator_copy_retake"],
    ...["new orchestrator_copy", "new orchestrator_manifest", "new orchestrator_arrive"],
  ]);
});

test("never puts a differing copy in place", async ({ stage }) => {
  stage.afterCopy = () => appendFileSync(join(stage.arriving, "config.json"), "!");
  const problem = "differs from what old has, after 3 copies\n  found: config.json: ";
  await expect(upTo(stage, "copy")).rejects.toThrow(problem);
  expect(stage.called).not.toContain("new orchestrator_arrive");
});

test("copies and lists again if listing failed, and after another stop", async ({ stage }) => {
  stage.beforeList = Promise.reject(new Error("the connection broke"));
  stage.beforeList.catch(() => undefined);
  await upTo(stage, "fence");
  await expect(stage.hands.perform("copy", saga, looks)).rejects.toThrow("the connection broke");
  stage.beforeList = Promise.resolve();
  await stage.hands.perform("copy", saga, looks);
  expect(copiesOf(stage)).toHaveLength(2);
  expect(stage.called.at(-1)).toBe("new orchestrator_arrive");
  rmSync(join(stage.arriving, "producer"), { recursive: true });
  await stage.hands.perform("stop", saga, looks);
  await stage.hands.perform("copy", saga, looks);
  expect(copiesOf(stage)).toHaveLength(3);
});

test("moves an orchestrator that stopped live, and none that stopped in a key generation", async ({ stage }) => {
  const config = join(stage.directory, "config.json");
  writeFileSync(config, JSON.stringify({ GlobalState: 1 }));
  await expect(upTo(stage, "copy")).rejects.toThrow(/^the orchestrator of the old host \(old\) was stopped in state 1/);
  expect(stage.called).toEqual(["old orchestrator_store", "old orchestrator_stop", "old orchestrator_read"]);
  writeFileSync(config, JSON.stringify({ GlobalState: 0, Name: '"GlobalState": 1' }));
  await upTo(stage, "copy");
  expect(stage.called.at(-1)).toBe("new orchestrator_arrive");
});

test("waits for a signing ceremony before the stop; trusts getStatus without a word of the chain", async ({
  stage,
}) => {
  stage.toSign = [0, 0, 1, 1, 0];
  stage.bridge = { known: false, why: "new knows of no bridge" };
  await stage.hands.perform("stop", saga, signing);
  expect(stage.said.slice(1)).toEqual([
    "1 requests wait for their signature: waiting for a while, since a ceremony may be at work",
    "no node tells the bridge's state, so the orchestrator's own getStatus decides: new knows of no bridge",
    "stopping the orchestrator of the old host (old), which still holds the key: from now on no host signs",
    "do not interrupt this run. If it is cut off, continue at once, it takes seconds: ./pillar-host resume prod",
  ]);
  expect(stage.called).toContain("old orchestrator_stop");
});

test("stops nothing if the new host's node fell behind, or the bridge was just halted without consent", async ({
  stage,
}) => {
  stage.node = { synced: false, why: "it is 300 momentums behind", known: true };
  await expect(stage.hands.perform("stop", saga, signing)).rejects.toThrow(
    /^the node of the new host \(new\) is not synced now.*\n {2}found: it is 300 momentums behind\n/,
  );
  stage.node = { synced: true, why: "", known: true };
  stage.bridge = { known: true, state: 2, key: "", why: "the node of new says: the bridge is halted" };
  await expect(stage.hands.perform("stop", saga, signing)).rejects.toThrow(
    /^the bridge is halted: refusing to stop the orchestrator of the old host \(old\) now\n {2}found: the node of new says.*\n {2}needed: a live bridge.*\n.*haltedBridge 1 -s prod$/,
  );
  expect(stage.called).not.toContain("old orchestrator_stop");
  stage.haltedBridge = 1;
  await stage.hands.perform("stop", saga, signing);
  expect(stage.said).toContain("the node of new says: the bridge is halted");
  expect(stage.called).toContain("old orchestrator_stop");
});

test("starts only what it unpacked from the backup that is given now", async ({ stage }) => {
  const root = localRoot();
  const inPlace = stage.arriving.replace(/\.arriving$/, "");
  const share = `tss/localstate-${Buffer.alloc(33, 7).toString("hex")}.json`;
  stage.bridge = { known: true, state: 0, key: Buffer.alloc(33, 7).toString("base64"), why: "live" };
  mkdirSync(join(root.scratch, "root/.orchestrator/tss"), { recursive: true });
  for (const name of ["config.json", share]) writeFileSync(join(root.scratch, "root/.orchestrator", name), "{}");
  const { file } = await takeBackup(
    root,
    { label: "asked", files: { base: root.scratch, paths: ["root/.orchestrator"] }, changing: [], isJson: () => true },
    { directory: join(dirname(stage.directory), "backups"), move: saga.move },
    { now: () => 0, ticks: () => 0, sleep: async () => undefined, say: () => undefined },
  );
  execFileSync("cp", ["-aT", join(root.scratch, "root/.orchestrator"), inPlace]);
  root.close();
  stage.restoreFrom = file;
  const restore = { ...saga, isRestore: true };
  const check = () => stage.hands.check("start", restore, looks).catch((error: Error) => error.message);
  writeFileSync(join(inPlace, share), "another backup's");
  expect(await check()).toContain(`found: ${share}: 16 bytes, not 2`);
  writeFileSync(join(inPlace, share), "{}");
  writeFileSync(join(inPlace, "config.json"), "adapted");
  // The fence may have ended while the files were compared.
  expect(await check()).toContain("the fence of the old host (old) has ended");
  // The lost host is looked at once more, right before the start.
  stage.run.isFenced = async (seen) => seen !== looks;
  expect(await check()).toBeUndefined();
  // The backup's host may still sign.
  stage.run.wanted = { known: { generation: 1, started: 0 } };
  expect(await check()).toMatch(/^the backup is of .*: .* may still sign\n {2}found: the lost host is old\n/);
  expect(stage.called).not.toContain("new orchestrator_start");
});

test("checks the backup of a restore again before the start, and none for a move", async ({ stage }) => {
  stage.restoreFrom = "/nowhere/backup.tar.age";
  const check = (of: Saga) => stage.hands.check("start", of, looks);
  await expect(check({ ...saga, isRestore: true })).rejects.toThrow("the backup can't be restored");
  await check(saga);
  await stage.hands.perform("start", saga, looks).catch(() => undefined);
  expect(stage.called).toContain("new orchestrator_start");
});

test.for(["stop", "start", "restore"] as const)(
  "the step %s counts from the stop of an earlier run",
  async (step, { stage }) => {
    const past = (name: string, minute: number) => ({ stage: name, at: `2026-11-20T10:0${minute}:00.000Z` });
    const [name, history] =
      step === "stop"
        ? ["stopping", [past("restored", 1), past("stopping", 2)]]
        : ["fenced", [past("restored", 1), past("stopping", 2), past("fenced", 3)]];
    const journal = { stage: name, generation: 2, history } as unknown as Journal;
    const states: HostStates = { ...looks, old: { active: false, masked: true, journal } };
    await stage.hands.perform(step, { ...saga, generation: 2 }, states).catch(() => undefined);
    expect(stage.run.stoppedAt).toBe(Date.parse("2026-11-20T10:02:00.000Z"));
    expect(stage.run.countSecondsWithoutSigner(Date.parse("2026-11-20T10:07:00.040Z"))).toBe(300);
  },
);
