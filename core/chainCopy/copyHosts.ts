import crypto from "node:crypto";
import { createInterface } from "node:readline";
import { markOwn, type Variables } from "../ssh/foreign";
import { type CallError, type CallOptions, openRoot } from "../ssh/root";
import { isFatal } from "../ssh/sshErrors";
import type { Clock } from "../util/clock";
import { takeFirstLine } from "../util/firstLine";
import type { ChainCopyInputs } from "./inputs";

type HostRole = "old" | "new";

interface FollowOptions extends CallOptions {
  heard(line: string): void;
}

/** Both hosts. Every call passes the copy's common variables to the library. */
export interface CopyHosts {
  /** Runs a function. An error has `isTaken` if another run is at work, and `isBroken` if the connection was lost. */
  call(side: HostRole, name: string, more?: Variables, options?: CallOptions): Promise<string>;
  /** Runs a function, and passes on its output line by line. */
  follow(side: HostRole, name: string, more: Variables, options: FollowOptions): Promise<void>;
  close(): void;
}

export interface CopyError extends Error {
  readonly isTaken?: boolean;
  readonly isBroken?: boolean;
  /** True if the copy was refused before anything was changed. */
  readonly isRefused?: boolean;
}

/** Hours for which the new host may read the snapshot: enough for the slowest line. */
export const copyHours = 24;

export function openHosts(inputs: ChainCopyInputs, token = crypto.randomBytes(8).toString("hex")): CopyHosts {
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
    call: (side, name, more = {}, options = {}) =>
      roots[side].call(name, { ...variables(side), ...more }, options).catch(rethrow),
    follow: async (side, name, more, { heard, ...options }) => {
      const { stdout, done } = await roots[side].stream(name, { ...variables(side), ...more }, options).catch(rethrow);
      createInterface({ input: stdout }).on("line", heard);
      await done.catch(rethrow);
    },
    close: () => {
      roots.old.close();
      roots.new.close();
    },
  };
}

function rethrow(error: CallError): never {
  if (error.exitCode === 75) throw Object.assign(error, { isTaken: true });
  throw error.exitCode === undefined && !isFatal(error) ? Object.assign(error, { isBroken: true }) : error;
}

const retryDelayMs = 5000;

/** Repeats work for this long while the connection breaks. `signal` ends that: nobody waits for the result any more. */
export async function retryIfBroken<T>(
  deps: Pick<Clock, "ticks" | "sleep"> & { readonly signal?: AbortSignal },
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const end = deps.ticks() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error as CopyError).isBroken || deps.signal?.aborted || deps.ticks() >= end) throw error;
      await deps.sleep(retryDelayMs);
    }
  }
}

/** Removes all of the copy from both hosts except what has arrived. Returns what could not be removed. Never throws. */
export async function cleanUp(hosts: CopyHosts, deps: Pick<Clock, "ticks" | "sleep">): Promise<string[]> {
  const end = (side: HostRole) =>
    retryIfBroken(deps, 2 * retryDelayMs, () => hosts.call(side, `chain_end_${side}`, {}, { limitSeconds: 1800 })).then(
      () => [],
      ({ message, isTaken }: CopyError) =>
        isTaken
          ? []
          : [
              `the ${side} host could not be cleaned up: ${takeFirstLine(message)}; the host does so by itself, or the next run does`,
            ],
    );
  return (await Promise.all([end("old"), end("new")])).flat();
}

/** Removes what failed copies left, once no copy is wanted: the node gets its own databases back. Never throws. */
export async function removeCopy(inputs: ChainCopyInputs, say: (line: string) => void): Promise<void> {
  const hosts = openHosts(inputs);
  const away = async (side: HostRole, names: readonly string[]) => {
    try {
      for (const name of names) await hosts.call(side, name, {}, { limitSeconds: 600 });
    } catch (error) {
      const { address } = inputs[side].host.ssh;
      say(`${address}: the remains of a chain copy could not be removed: ${takeFirstLine((error as Error).message)}`);
    }
  };
  await Promise.all([away("new", ["chain_away"]), away("old", ["chain_take", "chain_end_old"])]);
  hosts.close();
}
