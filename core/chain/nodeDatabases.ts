import type { SshTarget } from "../ssh/ssh.ts";

/** The node's databases below its data directory, all of which hold the chain. A version may lack `cache`. */
export const nodeDatabases = ["nom", "consensus", "cache"] as const;

export type LoginAddress = Pick<SshTarget, "address" | "user" | "port">;

/**
 * Returns the command after which a host's node syncs again from nothing. Wallet, config.json and network-private-key
 * stay. The controller's Resync leaves `cache`, with which a node does not start. The node starts whatever fails before.
 */
export function formatSyncAgain(
  { address, user, port }: LoginAddress,
  { service, dataDir }: { readonly service: string; readonly dataDir: string },
): string {
  const remove = `cd ${dataDir} && rm -rf ${nodeDatabases.join(" ")} network`;
  const work = `systemctl stop ${service} && ${remove}; systemctl start ${service}`;
  const at = `${port === 22 ? "" : `-p ${port} `}${user}@${address}`;
  // A terminal, in case sudo asks for a password.
  return user === "root" ? `ssh ${at} '${work}'` : `ssh -t ${at} 'sudo sh -c "${work}"'`;
}
