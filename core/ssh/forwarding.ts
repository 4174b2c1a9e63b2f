import type { Duplex } from "node:stream";
import { hasKind, ProblemError } from "../util/problem.ts";
import { withTimeout } from "../util/withTimeout.ts";
import type { SshTarget } from "./login.ts";
import type { CommandResult } from "./sshCommands.ts";

/** A port that this program reaches through a host's ssh. */
export type ForwardedPort = Pick<SshTarget, "address" | "port">;

type Run = (command: string, input: string) => Promise<CommandResult>;

const timeoutMs = 10_000;

/** Prints what the host's sshd says about forwarding for this login; nothing without root. */
const readSettings = `set -- $SSH_CONNECTION; [ "$(id -u)" = 0 ] || root="sudo -n"
PATH=$PATH:/usr/sbin:/sbin; $root sshd -T -C "user=$(id -un),host=$1,addr=$1,laddr=$3,lport=$4" < /dev/null`;

/** Tries to reach each place through the host: nothing has to listen there. @throws ProblemError if sshd forbids it */
export async function tryForwarding(
  { forward }: { forward(address: string, port: number): Promise<Duplex> },
  places: readonly ForwardedPort[],
): Promise<void> {
  for (const { address, port } of places) {
    const opening = forward(address, port).then((stream) => void stream.destroy());
    await withTimeout(opening, timeoutMs).catch((error: Error) => {
      if (hasKind(error, "forbidden")) throw error;
    });
  }
}

/** Finds by which setting a host's sshd forbids to reach a place, and what to write instead. */
export async function createForwardingFault(run: Run, { address, user }: SshTarget, place: ForwardedPort) {
  const at = `${place.address}:${place.port}`;
  const cures: readonly (readonly [RegExp, string])[] = [
    [/^allowtcpforwarding (no|remote)$/, "AllowTcpForwarding local"],
    [/^disableforwarding yes$/, "DisableForwarding no"],
    [
      new RegExp(`^permitopen (?!any$)(?!.*${place.address}:(${place.port}|\\*)( |$))`),
      `PermitOpen any (or ${at} beside the others)`,
    ],
  ];
  const reading = withTimeout(run("bash -s", readSettings), timeoutMs);
  const lines = await reading.then(
    ({ stdout }) => stdout.toLowerCase().split("\n"),
    () => [],
  );
  const isRead = lines.some((line) => line.startsWith("allowtcpforwarding "));
  const found = lines.flatMap((line) => cures.flatMap(([form, cure]) => (form.test(line) ? [{ line, cure }] : [])));
  const wanted = isRead ? found.map(({ cure }) => cure) : cures.map(([, cure]) => cure);
  const isInKey = found.length === 0;
  return new ProblemError({
    kind: "forbidden",
    what: `${address}: its sshd forbids forwarding to ${at} for ${user}`,
    found:
      isRead &&
      (found.map(({ line }) => `${line} (sshd -T)`).join(", ") ||
        "sshd -T allows it, so the key's line in authorized_keys forbids it"),
    needed: [
      wanted.length > 0 && `in sshd_config there: ${wanted.join(", ")}`,
      isInKey && `before the key in ~${user}/.ssh/authorized_keys: none of restrict, no-port-forwarding and permitopen`,
    ],
    next: wanted.length > 0 && [
      "The lines, on that host: grep -rniE 'forwarding|permitopen|^ *match' /etc/ssh/sshd_config*",
      "After the change: sshd -t && systemctl reload ssh",
    ],
  });
}
