import { setTimeout as sleep } from "node:timers/promises";
import { treeOf } from "../hosts/processTree";
import type { LabHost } from "../lab";
import type { LabStack } from "../stack/stack";
import { type Memory, memoryOf } from "./processes";

/** Counts the SSH logins in the host's own journal. */
export async function logins(host: LabHost): Promise<number> {
  const { stdout } = await host.run("journalctl -u ssh -o cat --no-pager | grep -c '^Accepted ' || true");
  return Number(stdout);
}

/**
 * Runs a whole `pulumi up` with the gate's default settings. Its node stays far behind until the memory of the waiting
 * processes has been measured, then it syncs.
 * @param settlesFor milliseconds at the gate before measuring
 */
export async function standUpInView(stack: LabStack, host: LabHost, settlesFor: number): Promise<Memory> {
  const node = (settings: object) => stack.lab.chain("PATCH", `/nodes/${host.name}`, settings);
  await stack.lab.chain("PATCH", "/truth", { height: 1_000_000 });
  // This rate lets the gate look every few seconds.
  await node({ behind: 50_000, rate: 150 });
  const up = stack.pulumi(["up", "--yes"], { all: true, reject: false, stdin: "ignore", timeout: 900_000 });
  let ended = false;
  const end = up.finally(() => {
    ended = true;
  });
  let output = "";
  up.all?.on("data", (text) => {
    output += String(text);
  });
  while (!ended && !/sync: .*height \d+ of/.test(output)) await sleep(200);
  // The gate has freed the memory that its start needed by then.
  if (!ended) await sleep(settlesFor);
  const waiting = ended ? undefined : await memoryOf(await treeOf(up.pid ?? 0));
  await node({ rate: 1_000_000 });
  if ((await end).exitCode !== 0 || !waiting) throw new Error(`pulumi up failed:\n${output.slice(-3000)}`);
  return waiting;
}
