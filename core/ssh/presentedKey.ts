import { computeFingerprint } from "./publicKey";
import { type SshTarget, scanHostKey } from "./ssh";

/** The host key that an ssh server presents before a login. Nothing proves it yet. */
type PresentedKey =
  | { readonly key: string; readonly fingerprint: string }
  | {
      readonly fault: string;
    };

/** Reads the ed25519 host key, for the operator to compare. */
export async function readPresentedKey(address: string, port: number, proxy?: SshTarget): Promise<PresentedKey> {
  try {
    const key = await scanHostKey(address, port, proxy);
    return { key, fingerprint: computeFingerprint(key) };
  } catch (error) {
    return { fault: `no ssh server with an ed25519 key answers at ${(error as Error).message}` };
  }
}
