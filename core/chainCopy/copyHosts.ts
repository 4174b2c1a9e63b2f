import { markOwn, type Variables } from "../ssh/foreign";
import { type CallError, type CallOptions, openRoot, type RootHost } from "../ssh/root";
import { isFatal } from "../ssh/sshErrors";
import type { ChainCopyInputs } from "./inputs";

type HostRole = "old" | "new";

interface FollowOptions extends CallOptions {
  heard(line: string): void;
}

/** Both hosts. Every call passes the copy's common variables to the library. */
export interface CopyHosts {
  readonly roots: Readonly<Record<HostRole, RootHost>>;
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

/** Seconds that a node may take to start with copied databases. */
const startSeconds = 900;
/** Hours for which the new host may read the snapshot: enough for the slowest line. */
export const copyHours = 24;

export function openHosts(inputs: ChainCopyInputs, token: string): CopyHosts {
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
      start_seconds: startSeconds,
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
  const inWords = (error: unknown): never => {
    const { exitCode } = error as CallError;
    if (exitCode === 75) throw Object.assign(error as Error, { isTaken: true });
    throw exitCode === undefined && !isFatal(error) ? Object.assign(error as Error, { isBroken: true }) : error;
  };
  return {
    roots,
    call: (side, name, more = {}, options = {}) =>
      roots[side].call(name, { ...variables(side), ...more }, options).catch(inWords),
    follow: async (side, name, more, { heard, ...options }) => {
      try {
        const { stdout, done } = await roots[side].stream(name, { ...variables(side), ...more }, options);
        let rest = "";
        stdout.setEncoding("utf8").on("data", (piece: string) => {
          const lines = (rest + piece).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) heard(line);
        });
        await done;
      } catch (error) {
        inWords(error);
      }
    },
    close: () => {
      roots.old.close();
      roots.new.close();
    },
  };
}
