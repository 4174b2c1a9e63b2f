import { spawnSync } from "node:child_process";
import { readPresentedKey } from "../../core/ssh/presentedKey";
import type { SshTarget } from "../../core/ssh/ssh";
import { formatProblem } from "../../core/util/problem";
import { askConfirmation } from "../terminal/prompts";
import { CliRefusal } from "../terminal/refusal";
import type { InitFlags } from "./initFlags";

/** Says that no ssh server answers at the given address. */
export class NoHostKeyRefusal extends CliRefusal {}

/** Returns the given host key, or the presented one once the operator has compared it. @throws Refusal */
export async function confirmHostKey(
  address: string,
  port: number,
  flags: InitFlags,
  proxy?: SshTarget,
): Promise<string> {
  if (flags.hostKey !== undefined) return flags.hostKey;
  const shown = await readPresentedKey(address, port, proxy);
  if ("fault" in shown)
    throw new NoHostKeyRefusal(
      formatProblem({
        what: `${shown.fault}; nothing was written`,
        needed:
          "give the address of a server that answers, or --port PORT; for a host behind a proxy give --host-key LINE",
      }),
    );
  const { key, fingerprint } = shown;
  if (flags.fingerprint !== undefined) {
    if (flags.fingerprint === fingerprint) return key;
    throw new CliRefusal(
      formatProblem({
        what: `${address} does not show the given host key; nothing was written`,
        found: fingerprint,
        needed: `check the address, and --fingerprint ${flags.fingerprint}; if both are right, somebody may be intercepting the connection`,
      }),
    );
  }
  if (flags.acceptHostKey) {
    console.error(`${address} shows the host key ${fingerprint}, accepted without a comparison (--accept-host-key)`);
    return key;
  }
  console.error(
    `${address} shows this host key:\n\n    ${fingerprint} (ED25519)\n\n${isKnown(address, port, key) ? "Your known_hosts has this key." : "Compare it with the key in your provider's console, or on the server itself:\n  ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub"}`,
  );
  if (await askConfirmation("Is it the same key?")) return key;
  throw new CliRefusal(
    formatProblem({
      what: `the host key of ${address} was not confirmed; nothing was written`,
      needed: "check the address, and compare the key with that on the host's console",
    }),
  );
}

/** True if the operator's ssh has accepted the key before. */
function isKnown(address: string, port: number, hostKey: string): boolean {
  const name = port === 22 ? address : `[${address}]:${port}`;
  const { stdout } = spawnSync("ssh-keygen", ["-F", name], { encoding: "utf8", timeout: 5000 });
  return (stdout ?? "").includes(hostKey);
}
