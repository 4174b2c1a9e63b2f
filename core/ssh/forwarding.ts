import type { Client } from "ssh2";
import { ProblemError } from "../util/problem.ts";
import { withTimeout } from "../util/withTimeout.ts";
import type { SshTarget } from "./login.ts";
import { runOver } from "./sshCommands.ts";

const forbidding = /^(allowtcpforwarding (no|remote)|disableforwarding yes|permitopen (?!any$).*)$/;

/** Prints the settings of the host's sshd for this login, then an end mark; nothing without root. */
const readSettings = `set -- $SSH_CONNECTION; [ "$(id -u)" = 0 ] || root="sudo -n"; PATH=$PATH:/usr/sbin:/sbin
$root sshd -T -C "user=$(id -un),host=$1,addr=$1,laddr=$3,lport=$4" < /dev/null && echo pillar-host-read`;

/** Finds by which setting a host's sshd forbids to reach a port, and what to write instead. */
export async function createForwardingFault(client: Client, { address, user }: SshTarget, at: string) {
  const reading = withTimeout(runOver(client, "bash -s", readSettings), 10_000);
  const { stdout } = await reading.catch(() => ({ stdout: "" }));
  // The login may print a greeting, too.
  const lines = stdout.split("\n");
  const found = lines.filter((line) => forbidding.test(line) && !`${line} `.includes(` ${at} `));
  const isRead = lines.includes("pillar-host-read");
  const isInKey = isRead && found.length === 0;
  const inKey = `no restrict, no-port-forwarding or permitopen before the key in ~${user}/.ssh/authorized_keys`;
  const inFile = "in sshd_config there: AllowTcpForwarding local, DisableForwarding no, PermitOpen any";
  return new ProblemError({
    kind: "forbidden",
    what: `${address}: its sshd forbids forwarding to ${at} for ${user}`,
    found: isInKey
      ? "sshd -T allows it, so the key's line in authorized_keys forbids it"
      : found.map((line) => `${line} (sshd -T)`),
    needed: isInKey ? inKey : [inFile, !isRead && inKey],
    next: !isInKey && [
      "The lines, on that host: grep -rniE 'forwarding|permitopen|^ *match' /etc/ssh/sshd_config*",
      "After the change: sshd -t && systemctl reload ssh",
    ],
  });
}
