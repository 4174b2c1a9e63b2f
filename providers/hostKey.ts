import ssh2 from "ssh2";
import { fingerprintOf } from "../core/ssh/publicKey";
import { defineResource } from "./runtime/dynamicResource";

/**
 * The ed25519 host key of a server that this stack makes: cloud-init installs it, and every connection is pinned to it
 * from the first packet (docs/architecture.md, Host keys are pinned). create makes it once, and refuses where there is
 * a server already that this state did not order; update keeps it, delete does nothing.
 */
export class HostKey extends defineResource<HostKeyInputs, HostKeyOutputs>({
  type: "HostKey",
  id: () => "host-key",
  create: async ({ stranger }) => {
    // A key made now is not that of a server which is there already.
    if (stranger !== undefined) throw new Error(stranger);
    return makeHostKey();
  },
  // It is on the host: another one would be a stranger's.
  update: async ({ publicKey, privateKey, fingerprint }) =>
    publicKey && privateKey && fingerprint ? { publicKey, privateKey, fingerprint } : makeHostKey(),
  secretInputs: [],
  outputs: { publicKey: "plain", privateKey: "secret", fingerprint: "plain" },
  // A state that has a key keeps it, whatever is at the provider.
  options: { ignoreChanges: ["stranger"] },
}) {}

interface HostKeyInputs {
  /** The error for a server that already exists, if this state has no key yet. */
  readonly stranger?: string | undefined;
}

interface KeyPair {
  /** An authorized_keys line. */
  readonly publicKey: string;
  /** OpenSSH form, with a line break at its end. */
  readonly privateKey: string;
}

interface HostKeyOutputs extends KeyPair {
  readonly fingerprint: string;
}

/** Makes an ed25519 key pair. */
export function newKeyPair(): KeyPair {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync("ed25519");
    // Now and then it writes one that it cannot read itself.
    if (ssh2.utils.parseKey(pair.private) instanceof Error) continue;
    return { publicKey: pair.public.trim(), privateKey: `${pair.private.trim()}\n` };
  }
}

function makeHostKey(): HostKeyOutputs {
  const pair = newKeyPair();
  return { ...pair, fingerprint: fingerprintOf(pair.publicKey) };
}
