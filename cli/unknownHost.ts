import { fingerprintOf } from "../core/ssh/publicKey";
import { scanHostKey } from "../core/ssh/ssh";
import { couldNot } from "./refusal";
import type { Source } from "./source";

/**
 * What can be said of a host whose key is not known yet: no login goes to a machine that may be another one.
 *
 * @returns why nothing more is told, and the exit code
 */
export async function unknownHost({
  address,
  config: { ssh },
}: Source): Promise<{ exitCode: number; lines: readonly string[] }> {
  try {
    const fingerprint = fingerprintOf(await scanHostKey(address, ssh.port));
    return {
      exitCode: 1,
      lines: [
        `\n${address} was not looked at: its host key is neither configured nor recorded yet, so nobody logs in.`,
        `It shows ${fingerprint}. Compare it with your provider's console; the next run records it.`,
      ],
    };
  } catch (error) {
    return {
      exitCode: couldNot,
      lines: [
        `\nno ssh server with an ed25519 key answers at ${error instanceof Error ? error.message : String(error)}`,
        "  needed: pillar-host:host.address of a running host, and its ssh port (pillar-host:ssh.port)",
      ],
    };
  }
}
