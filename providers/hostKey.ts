import ssh2 from "ssh2";
import { computeFingerprint } from "../core/ssh/publicKey";
import { defineResource } from "./runtime/dynamicResource";

/**
 * The ed25519 host key of a server that this stack makes. cloud-init installs it, and every connection is pinned to it
 * from the first packet (docs/architecture.md, Host keys are pinned). create makes the key once, and refuses if a
 * server exists that this state did not order. update keeps it, delete does nothing.
 */
export class HostKey extends defineResource<HostKeyInputs, HostKeyOutputs>({
  type: "HostKey",
  id: () => "host-key",
  create: async ({ stranger }) => {
    // An existing server does not have a key that is made now.
    if (stranger !== undefined) throw new Error(stranger);
    return createKeyPair();
  },
  // The host has this key: a new one would lock every connection out.
  update: async ({ publicKey, privateKey, fingerprint }) =>
    publicKey && privateKey && fingerprint ? { publicKey, privateKey, fingerprint } : createKeyPair(),
  secretInputs: [],
  outputs: { publicKey: "plain", privateKey: "secret", fingerprint: "plain" },
  // A state that has a key keeps it, whatever server the provider reports.
  options: { ignoreChanges: ["stranger"] },
}) {}

interface HostKeyInputs {
  /** The error for a server that already exists, if this state has no key yet. */
  readonly stranger?: string | undefined;
}

type HostKeyOutputs = Readonly<ReturnType<typeof createKeyPair>>;

/** Creates a key pair: the public key as an authorized_keys line, the private key in OpenSSH's format. */
export function createKeyPair() {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync("ed25519");
    // ssh2 occasionally writes a key that it can't parse itself.
    if (ssh2.utils.parseKey(pair.private) instanceof Error) continue;
    const publicKey = pair.public.trim();
    return { publicKey, privateKey: `${pair.private.trim()}\n`, fingerprint: computeFingerprint(publicKey) };
  }
}
