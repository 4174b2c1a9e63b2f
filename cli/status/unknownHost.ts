import { proxyOf } from "../../core/ssh/configuredLogin";
import { shownHostKey } from "../../core/ssh/shownHostKey";
import { refusalExitCode } from "../terminal/refusal";
import type { StackWithHost } from "./openStack";

/**
 * What can be said of a host whose key is not known yet: no login goes to a machine that may be another one.
 *
 * @returns why nothing more is told, and the exit code
 */
export async function describeUnknownHost({
  address,
  config: { ssh },
}: StackWithHost): Promise<{ exitCode: number; lines: readonly string[] }> {
  const shown = await shownHostKey(address, ssh.port, proxyOf(ssh));
  if ("fault" in shown)
    return {
      exitCode: refusalExitCode,
      lines: [
        `\n${shown.fault}`,
        "  needed: pillar-host:host.address of a running host, and its ssh port (pillar-host:ssh.port)",
      ],
    };
  return {
    exitCode: 1,
    lines: [
      `\n${address} was not looked at: its host key is neither configured nor recorded yet, so nobody logs in.`,
      `It shows ${shown.fingerprint}. Compare it with your provider's console; the next run records it.`,
    ],
  };
}
