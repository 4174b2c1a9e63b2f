import { printable } from "../util/printable";
import { formatProblem } from "../util/problem";
import type { SshSession, SshTarget } from "./ssh";
import { commandsAtOnce as atOnce } from "./sshdFaults";
import type { ForwardError } from "./sshErrors";

const word = "pillar-host-answers";

interface Place {
  readonly address: string;
  readonly port: number;
}

/** Tries what the program needs of sshd beyond a login. Returns what sshd refuses, and by which setting. */
export async function findSshdTrialFault(
  session: SshSession,
  { address, user }: Pick<SshTarget, "address" | "user">,
  rpc: Place | undefined,
): Promise<string | undefined> {
  const runs = await Promise.allSettled(Array.from({ length: atOnce }, () => session.run(`echo ${word}`, "")));
  const done = runs.flatMap((run) => (run.status === "fulfilled" ? [run.value] : []));
  const text = (what: string, needed: string, found = "see its settings on the host, as root: sshd -T") =>
    formatProblem({
      what: `${address}: ${what}`,
      found,
      needed,
      next: "After a change to sshd_config, reload sshd on the host: systemctl reload ssh. Then run the same command again.",
    });
  const other = done.find(({ exitCode, stdout }) => !stdout.includes(word) && (exitCode !== 0 || stdout.trim() !== ""));
  if (other !== undefined)
    return text(
      `the login of ${user} runs another command than it is given`,
      `remove ForceCommand for ${user} from sshd_config, and command= before its key in authorized_keys; use a login shell that runs commands`,
      `"${printable((other.stdout + other.stderr).trim()).slice(0, 200)}"`,
    );
  if (!session.isOpen) return undefined;
  if (done.length < atOnce)
    return text(
      `its sshd allows ${done.length} commands at once over one connection`,
      "set MaxSessions 10 in sshd_config",
    );
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
