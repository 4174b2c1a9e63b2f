import { spawnSync } from "node:child_process";
import { shownHostKey } from "../../core/ssh/shownHostKey";
import type { SshTarget } from "../../core/ssh/ssh";
import { askConfirmation } from "../terminal/prompts";
import { CliRefusal } from "../terminal/refusal";
import type { InitFlags } from "./initFlags";

/** No ssh server answers at the given address. */
export class NoHostKeyRefusal extends CliRefusal {}

/** Returns the given key, or the presented one once the operator has compared it. @throws Refusal */
export async function confirmHostKey(
  address: string,
  port: number,
  flags: InitFlags,
  proxy?: SshTarget,
): Promise<string> {
  if (flags.hostKey !== undefined) return flags.hostKey;
  const shown = await shownHostKey(address, port, proxy);
  if ("fault" in shown)
    throw new NoHostKeyRefusal(
      `${shown.fault}\n  nothing was written\n  needed: a server that answers, on another port with --port PORT; or, for a host behind a proxy too, its host key with --host-key LINE`,
    );
  const { key, fingerprint } = shown;
  if (flags.fingerprint !== undefined) {
    if (flags.fingerprint === fingerprint) return key;
    throw new CliRefusal(
      `${address} shows another host key; nothing was written\n  found:  ${fingerprint}\n  needed: ${flags.fingerprint} (--fingerprint)\nIs it the right address, or is somebody in between?`,
    );
  }
  if (flags.acceptHostKey) {
    console.error(`${address} shows the host key ${fingerprint}, which is accepted unseen (--accept-host-key)`);
    return key;
  }
  console.error(
    `${address} shows this host key:\n\n    ${fingerprint} (ED25519)\n\n${isKnown(address, port, key) ? "It is the one in your known_hosts." : "Compare it with the one in your provider's console, or on the server's own screen:\n  ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub"}`,
  );
  if (await askConfirmation("Is it the same?")) return key;
  throw new CliRefusal(
    `the host key of ${address} was not confirmed; nothing was written\n  needed: the right address, and the key that its console shows`,
  );
}

/** True if the operator's ssh has accepted the key before. */
function isKnown(address: string, port: number, hostKey: string): boolean {
  const name = port === 22 ? address : `[${address}]:${port}`;
  const { stdout } = spawnSync("ssh-keygen", ["-F", name], { encoding: "utf8", timeout: 5000 });
  return (stdout ?? "").includes(hostKey);
}
