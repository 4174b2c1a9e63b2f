import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import type { LogEvent, MoveEvent, MoveLeg } from "../../../core/eventLog/events";
import { operatorAddress } from "../../../lab/hosts/network";
import type { Lab } from "../../../lab/lab";
import { type Backend, startS3 } from "../../../lab/stack/backends";
import { callSocket } from "../../../lab/util/callSocket";
import { expectFailure, expectSuccess, onHost, transcripts } from "../fixture";
import type { GateMode, GateTruth, Stop } from "./bucketGate.mts";
import { contentOf, moveStage, signersOf } from "./moveStage";

const gatePort = 9001;
const socketOf = (lab: Lab) => join(lab.dir, "gate.sock");

/** Starts a bucket at the operator's end whose writes a test stops and cuts. */
async function startGatedS3(lab: Lab): Promise<Backend> {
  const { url, env } = await startS3(lab);
  const address = new URL(url);
  const endpoint = new URL(address.searchParams.get("endpoint") ?? "");
  const script = join(import.meta.dirname, "bucketGate.mts");
  const places = [operatorAddress, String(gatePort), endpoint.port, socketOf(lab)];
  await lab.startAtOperator([process.execPath, script, ...places], join(lab.dir, "gate.log"));
  await vi.waitFor(() => expect(existsSync(socketOf(lab))).toBe(true), { timeout: 120_000, interval: 200 });
  endpoint.port = String(gatePort);
  address.searchParams.set("endpoint", endpoint.origin);
  return { url: address.href, env };
}

function gateOf(lab: Lab): Promise<GateTruth> {
  return callSocket<GateTruth>(socketOf(lab), "GET", "/");
}

/** Sets the gate; a stopped write gets no answer any more. */
function setGate(lab: Lab, mode: GateMode): Promise<GateTruth> {
  return callSocket<GateTruth>(socketOf(lab), "PUT", `/${mode}`);
}

/** Lists the keys below a folder of a Pillar's part, sorted, from the real server. */
async function keysIn(lab: Lab, folder: string): Promise<string[]> {
  const path = `/state?list-type=2&prefix=${encodeURIComponent(`pillar-host/Anvil/${folder}/`)}`;
  const list = String(await callSocket(socketOf(lab), "GET", path));
  expect(list).toContain("<IsTruncated>false</IsTruncated>");
  return [...list.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = ""]) => key).sort();
}

/** Parses the lines of the event log in the bucket, oldest first. */
async function linesIn(lab: Lab): Promise<unknown[]> {
  const lines: unknown[] = [];
  for (const key of await keysIn(lab, "log")) lines.push(await callSocket(socketOf(lab), "GET", `/state/${key}`));
  return lines;
}

/** Writes of a journey into the bucket, in order. */
const writes = [
  ...["first tar.age", "first manifest.json", "backup first", "secured", "begun", "starting"],
  ...["last tar.age", "last manifest.json", "backup last", "done", "recorded"],
];
const stage = moveStage({ inBucket: startGatedS3, bare: true });
const signer = () => onHost(stage.old, "systemctl show -p MainPID orchestrator");

/** Begins an `up` that is killed at the first new kind of write. @returns that write, if there was one */
async function killedUp(): Promise<{ readonly stop?: Stop; readonly output: string }> {
  await setGate(stage.lab, "stop");
  const run = await stage.stack.begin();
  let isOver = false;
  const end = run.end().finally(() => {
    isOver = true;
  });
  for (;;) {
    const { held } = await gateOf(stage.lab);
    if (held) {
      // The engine and all that it started, at one moment.
      await run.freeze(true);
      await run.clear();
      return { stop: held, output: (await end).output };
    }
    if (isOver) {
      const output = await expectSuccess(end);
      return { output };
    }
    await sleep(100);
  }
}

it("ends an up without a move if the bucket loses each upload", async () => {
  const before = await signer();
  await setGate(stage.lab, "cut");
  const output = await expectFailure(stage.stack.up());
  expect(output).toContain("the bucket of the event log can't be written: s3://state/pillar-host/Anvil/");
  expect((await gateOf(stage.lab)).cuts).toBeGreaterThan(0);
  expect([await keysIn(stage.lab, "log"), await keysIn(stage.lab, "backups")]).toEqual([[], []]);
  expect(await signersOf(stage)).toEqual(["old"]);
  expect(await signer()).toBe(before);
});

it("the next up completes an up that was killed at any of its writes into the bucket", async () => {
  const content = await contentOf(stage.old);
  for (let runs = 1; ; runs += 1) {
    expect(runs).toBeLessThan(40);
    const { stop, output } = await killedUp();
    expect((await signersOf(stage)).length, output).toBeLessThan(2);
    if (!stop) break;
    await stage.stack.cancel();
  }
  const { stops } = await gateOf(stage.lab);
  expect(stops).toEqual(writes.map((what, index) => ({ what, side: index % 2 === 0 ? "before" : "after" })));
  expect(await signersOf(stage)).toEqual(["new"]);
  expect(await contentOf(stage.fresh)).toBe(content);
  expect(await transcripts(stage.fresh)).toHaveLength(1);
});

it("the bucket lost no write, and has no step of the move twice", async () => {
  const { lines } = await gateOf(stage.lab);
  const there = (await linesIn(stage.lab)) as (LogEvent | MoveEvent)[];
  expect(there).toEqual(lines.map((line) => JSON.parse(line)));
  const of = (name: string) => there.filter(({ event }) => event === name);
  for (const name of ["secured", "done"]) expect(of(name), name).toHaveLength(1);
  // A move that was killed before a host knew of it has another number; the completed move is the last.
  const numbersOf = (name: string) => of(name).map(({ details }) => (details as MoveLeg).generation);
  const begun = numbersOf("begun");
  expect(begun).toEqual(begun.map((_, index) => index + 1));
  // The line about a start comes before the stop: one that was killed between them is followed by another way.
  expect(numbersOf("starting").at(-1)).toBe(begun.at(-1));
  expect(numbersOf("done")).toEqual(begun.slice(-1));
  const files = (await keysIn(stage.lab, "backups")).map((key) => basename(key));
  const told = there.flatMap((entry) => (entry.event === "backup" ? [entry.details] : []));
  expect(told.length).toBeGreaterThan(1);
  for (const { file, manifestFile } of told)
    expect(files).toEqual(expect.arrayContaining([basename(file), basename(manifestFile)]));
});

it("the next up changes nothing", async () => {
  await setGate(stage.lab, "pass");
  const output = await expectSuccess(stage.stack.up());
  expect(output).toMatch(/\d+ unchanged/);
  expect(output).not.toMatch(/\d+ (created|updated|replaced|deleted)/);
});
