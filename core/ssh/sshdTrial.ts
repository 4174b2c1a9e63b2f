import { printable } from "../util/printable";
import { formatProblem } from "../util/problem";
import type { SshSession, SshTarget } from "./ssh";
import { commandsAtOnce as atOnce, isGoodSetting } from "./sshdFaults";
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
  const text = async (what: string, names: string, needed: string, said?: string) =>
    formatProblem({
      what: `${address}: ${what}`,
      found:
        said ?? ((await settingLines(session, names, rpc && `${rpc.address}:${rpc.port}`)) || "no line that sets it"),
      needed,
      next: "After a change to sshd_config, reload sshd on the host: systemctl reload ssh. Then run the same command again.",
    });
  const other = done.find(({ exitCode, stdout }) => !stdout.includes(word) && (exitCode !== 0 || stdout.trim() !== ""));
  if (other !== undefined)
    return text(
      `the login of ${user} runs another command than it is given`,
      "",
      `no ForceCommand in sshd_config for ${user}, no command= before its key in authorized_keys, and a login shell that runs commands`,
      `"${printable((other.stdout + other.stderr).trim()).slice(0, 200)}"`,
    );
  if (!session.isOpen) return undefined;
  if (done.length < atOnce)
    return text(
      `its sshd allows ${done.length} commands at once over one connection`,
      "maxsessions",
      "set MaxSessions 10 in sshd_config",
    );
  if (rpc === undefined) return undefined;
  const tried = await session.forward(rpc.address, rpc.port).catch((error: ForwardError) => error);
  if (!(tried instanceof Error)) tried.destroy();
  else if (tried.refusedForward === "forbidden")
    return text(
      "its sshd forbids the forwarding to the node's RPC",
      "allowtcpforwarding|disableforwarding|permitopen",
      `set AllowTcpForwarding local, DisableForwarding no and PermitOpen any (or ${rpc.address}:${rpc.port}) in sshd_config, and neither restrict nor no-port-forwarding before the key in authorized_keys`,
    );
  return undefined;
}

/** Returns the lines with these settings, if the login may read them. */
async function settingLines(session: SshSession, names: string, place = "any"): Promise<string> {
  const script = `PATH=$PATH:/usr/sbin
sshd -T -C "user=$(id -un),host=-,addr=\${SSH_CONNECTION%% *}" | grep -iE '^(${names}) '
grep -nisE '^[[:space:]]*(${names})[[:space:]=]' /etc/ssh/sshd_config /etc/ssh/sshd_config.d/*
grep -nosE '^[^#]*(restrict|no-port-forwarding|permitopen=|command=)' ~/.ssh/authorized_keys | sed -E 's/^([0-9]+):.*[^a-z-]?(restrict|no-port-forwarding|permitopen|command)=?$/~\\/.ssh\\/authorized_keys:\\1: \\2/'
`;
  const { stdout } = await session.run("sh -s 2> /dev/null", script).catch(() => ({ stdout: "" }));
  const lines = stdout.split("\n").map((line) => printable(line).replace(/^(\/[^:]*:\d+):\s*/, "$1: "));
  return lines
    .filter((line) => line.trim() !== "" && !isGoodSetting(line, place))
    .slice(0, 6)
    .join("; ");
}
