import { createProxyLogin } from "../../core/ssh/configuredLogin";
import { readPresentedKey } from "../../core/ssh/presentedKey";
import { formatProblem } from "../../core/util/problem";
import { refusalExitCode } from "../terminal/refusal";
import type { StackWithHost } from "./openStack";

/** Describes a host whose key is unknown: without the key, no login is safe. */
export async function describeUnknownHost({
  address,
  config: { ssh },
}: StackWithHost): Promise<{ exitCode: number; lines: readonly string[] }> {
  const shown = await readPresentedKey(address, ssh.port, createProxyLogin(ssh));
  if ("fault" in shown)
    return {
      exitCode: refusalExitCode,
      lines: [
        formatProblem({
          what: `\n${shown.fault}`,
          needed: "set pillar-host:host.address to a running host, and pillar-host:ssh.port to its ssh port",
        }),
      ],
    };
  return {
    exitCode: 1,
    lines: [
      `\n${address} was not read: its host key is neither configured nor recorded yet, so no login is safe.`,
      `It presents ${shown.fingerprint}. Compare it with your provider's console; the next run records it.`,
    ],
  };
}
