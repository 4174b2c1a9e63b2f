import { formatProblem } from "../util/problem";
import type { SshSession, SshTarget } from "./ssh";
import { commandsAtOnce as atOnce } from "./sshdFaults";
import type { ForwardError } from "./sshErrors";

interface Place {
  readonly address: string;
  readonly port: number;
}

/** Tries what the program needs of sshd beyond a login. Returns what sshd refuses, and by which setting. */
export async function findSshdTrialFault(
  session: SshSession,
  { address }: Pick<SshTarget, "address">,
  rpc: Place | undefined,
): Promise<string | undefined> {
  const runs = await Promise.allSettled(Array.from({ length: atOnce }, () => session.run("true", "")));
  const done = runs.filter(({ status }) => status === "fulfilled").length;
  const text = (what: string, needed: string) =>
    formatProblem({
      what: `${address}: ${what}`,
      found: "see its settings on the host, as root: sshd -T",
      needed,
      next: "After a change to sshd_config, reload sshd on the host: systemctl reload ssh. Then run the same command again.",
    });
  if (!session.isOpen) return undefined;
  if (done < atOnce)
    return text(`its sshd allows ${done} commands at once over one connection`, "set MaxSessions 10 in sshd_config");
  if (rpc === undefined) return undefined;
  const tried = await session.forward(rpc.address, rpc.port).catch((error: ForwardError) => error);
  if (!(tried instanceof Error)) tried.destroy();
  else if (tried.refusedForward === "forbidden")
    return text(
      "its sshd forbids the forwarding to the node's RPC",
      `set AllowTcpForwarding local, DisableForwarding no and PermitOpen any (or ${rpc.address}:${rpc.port}) in sshd_config, and neither restrict nor no-port-forwarding before the key in authorized_keys`,
    );
  return undefined;
}
