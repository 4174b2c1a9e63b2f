import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { operatorAddress } from "../../../lab/hosts/network";
import type { Lab } from "../../../lab/lab";
import { type Backend, startS3 } from "../../../lab/stack/backends";
import { callSocket } from "../../../lab/util/callSocket";
import type { GateMode, GateTruth } from "./bucketGate.mts";

const gatePort = 9001;
const socketOf = (lab: Lab) => join(lab.dir, "gate.sock");

/** Starts a bucket at the operator's end whose writes a test stops and cuts. */
export async function startGatedS3(lab: Lab): Promise<Backend> {
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

export function gateOf(lab: Lab): Promise<GateTruth> {
  return callSocket<GateTruth>(socketOf(lab), "GET", "/");
}

/** Sets the gate; a stopped write gets no answer any more. */
export function setGate(lab: Lab, mode: GateMode): Promise<GateTruth> {
  return callSocket<GateTruth>(socketOf(lab), "PUT", `/${mode}`);
}

/** Lists the keys below a folder of a Pillar's part, sorted, from the real server. */
export async function keysIn(lab: Lab, folder: string): Promise<string[]> {
  const path = `/state?list-type=2&prefix=${encodeURIComponent(`pillar-host/Anvil/${folder}/`)}`;
  const list = String(await callSocket(socketOf(lab), "GET", path));
  expect(list).toContain("<IsTruncated>false</IsTruncated>");
  return [...list.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = ""]) => key).sort();
}

/** Parses the lines of the event log in the bucket, oldest first. */
export async function linesIn(lab: Lab): Promise<unknown[]> {
  const lines: unknown[] = [];
  for (const key of await keysIn(lab, "log")) lines.push(await callSocket(socketOf(lab), "GET", `/state/${key}`));
  return lines;
}
