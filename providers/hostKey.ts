import type * as pulumi from "@pulumi/pulumi";
import ssh2 from "ssh2";
import { fingerprintOf } from "../core/ssh/publicKey";
import { DynamicResource } from "./runtime/dynamicResource";

interface KeyPair {
  /** An authorized_keys line. */
  readonly publicKey: string;
  /** OpenSSH form, with a line break at its end. */
  readonly privateKey: string;
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

function make() {
  const pair = newKeyPair();
  return { ...pair, fingerprint: fingerprintOf(pair.publicKey) };
}

const provider: pulumi.dynamic.ResourceProvider = {
  create: async ({ stranger }) => {
    // A key made now is not that of a server which is there already.
    if (stranger !== undefined) throw new Error(stranger);
    const key = make();
    return { id: key.fingerprint, outs: key };
  },
  // It is on the host: another one would be a stranger's.
  update: async (_id, olds, news) => ({
    outs: { ...news, publicKey: olds.publicKey, privateKey: olds.privateKey, fingerprint: olds.fingerprint },
  }),
};

/**
 * The ed25519 host key of a server that this stack makes: cloud-init installs it, and every connection is pinned to it
 * from the first packet (docs/architecture.md, Host keys are pinned). create makes it once, and refuses where there is
 * a server already that this state did not order; update keeps it, delete does nothing.
 */
export class HostKey extends DynamicResource {
  declare public readonly publicKey: pulumi.Output<string>;
  /** Secret. */
  declare public readonly privateKey: pulumi.Output<string>;
  declare public readonly fingerprint: pulumi.Output<string>;

  /** @param stranger what to say where this state has no key yet, and a server is there already */
  constructor(name: string, { stranger }: { stranger?: string | undefined }, options?: pulumi.CustomResourceOptions) {
    super(
      "HostKey",
      provider,
      name,
      { stranger, publicKey: undefined, privateKey: undefined, fingerprint: undefined },
      // A state that has a key keeps it, whatever is at the provider.
      { ...options, ignoreChanges: ["stranger"], additionalSecretOutputs: ["privateKey"] },
    );
  }
}
