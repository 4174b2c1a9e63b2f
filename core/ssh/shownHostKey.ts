import { fingerprintOf } from "./publicKey";
import { type SshTarget, scanHostKey } from "./ssh";

/** What an ssh server shows before anybody logs in; anybody may have put it there. */
export type ShownHostKey =
  | { readonly key: string; readonly fingerprint: string }
  | {
      /** Why none was shown, with the host. */
      readonly fault: string;
    };

/** The ed25519 key that a host shows. No login goes to a machine whose key nobody knows: it may be another one. */
export async function shownHostKey(address: string, port: number, proxy?: SshTarget): Promise<ShownHostKey> {
  try {
    const key = await scanHostKey(address, port, proxy);
    return { key, fingerprint: fingerprintOf(key) };
  } catch (error) {
    return { fault: `no ssh server with an ed25519 key answers at ${(error as Error).message}` };
  }
}
