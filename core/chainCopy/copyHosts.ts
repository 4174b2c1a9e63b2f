import crypto from "node:crypto";
import { createInterface } from "node:readline";
import type { EventDetails } from "../eventLog/events.ts";
import { markOwn, type Variables } from "../ssh/foreign.ts";
import { type CallError, type CallOptions, openRoot } from "../ssh/root.ts";
import { isFatal } from "../ssh/sshErrors.ts";
import { takeFirstLine } from "../util/printable.ts";
import type { ChainCopyInputs, CopyDeps, HostRole } from "./copyNodes.ts";

/** Facts of a copy, as in the event log. */
export type CopyFacts = EventDetails["chainCopied"];

/** The height at which a node stands still; undefined if it does not answer. */
export type Standstill = Readonly<{ height?: number | undefined }>;

export interface CopyRun extends CopyDeps {
  readonly inputs: ChainCopyInputs;
  readonly hosts: CopyHosts;
  /** Set if the new host has passed its gate, and its node stands still. */
  readonly standstill?: Standstill;
}

/** Hours for which the new host may read the snapshot: enough for the slowest line. */
export const copyHours = 24;

export type CopyHosts = ReturnType<typeof openHosts>;

/** Opens both hosts. Every call passes the copy's common variables to the library. */
export function openHosts(inputs: ChainCopyInputs) {
  const token = crypto.randomBytes(8).toString("hex");
  const roots = { old: openRoot(inputs.old.host, inputs.library), new: openRoot(inputs.new.host, inputs.library) };
  const { address, port } = inputs.copy;
  const seconds = inputs.momentum / 1000;
  const variables = (side: HostRole): Variables => {
    const { service, dataDir, node } = inputs[side];
    return markOwn({
      token,
      side,
      stack_identity: inputs.identity,
      service,
      data_dir: dataDir,
      rpc_address: node.address,
      rpc_port: node.port,
      login_user: inputs.old.host.ssh.user,
      copy_address: address,
      copy_port: port,
      copy_hours: copyHours,
      known_as: port === 22 ? address : `[${address}]:${port}`,
      other_host_key: inputs.old.host.ssh.hostKey,
      momentum_seconds: seconds,
      quiet_seconds: Math.min(3, seconds / 4),
      limit_mbps: inputs.limitMbps,
    });
  };
  return {
    call: (side: HostRole, name: string, more: Variables = {}, options: CallOptions = {}) =>
      roots[side].call(name, { ...variables(side), ...more }, options),
    /** Runs a function on the new host, and passes on its output line by line. */
    follow: async (name: string, more: Variables, options: CallOptions, heard: (line: string) => void) => {
      const { stdout, done } = await roots.new.stream(name, { ...variables("new"), ...more }, options);
      createInterface({ input: stdout }).on("line", heard);
      await done;
    },
    close: () => {
      roots.old.close();
      roots.new.close();
    },
  };
}

/** True if a call was refused because another run is at work on the host. */
export function isTaken(error: unknown): boolean {
  return (error as CallError).exitCode === 75;
}

/** Milliseconds for which a broken connection is retried while no data arrives: a host may reboot. */
export const stallTimeoutMs = 15 * 60_000;
const retryDelayMs = 5000;

/** Repeats a call for this long while the connection breaks. An aborted `signal` ends that. */
export async function retryIfBroken<T>(
  { ticks, sleep, signal }: Pick<CopyRun, "ticks" | "sleep" | "signal">,
  call: () => Promise<T>,
  timeoutMs = stallTimeoutMs,
): Promise<T> {
  const end = ticks() + timeoutMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isBroken(error) || signal?.aborted || ticks() >= end) throw error;
      await sleep(retryDelayMs);
    }
  }
}

/** True if a call failed because the connection was lost. */
export function isBroken(error: unknown): boolean {
  return (error as CallError).exitCode === undefined && !isFatal(error);
}

/** Removes all of the copy from both hosts except what has arrived, and says what could not be removed. Never throws. */
export async function cleanUp(run: CopyRun): Promise<void> {
  const end = (side: HostRole) => run.hosts.call(side, `chain_end_${side}`, {}, { limitSeconds: 1800 });
  const endSoon = (side: HostRole) =>
    retryIfBroken(run, () => end(side), 2 * retryDelayMs).catch((error: Error) => {
      const what = `the ${side} host could not be cleaned up: ${takeFirstLine(error.message)}`;
      if (!isTaken(error)) run.say(`${what}; the host does so by itself, or the next run does`);
    });
  await Promise.all([endSoon("old"), endSoon("new")]);
}
