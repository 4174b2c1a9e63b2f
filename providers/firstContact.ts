import * as pulumi from "@pulumi/pulumi";
import { fingerprintOf } from "./rpc/hostKey";
import { scanHostKey } from "./rpc/ssh";

interface ContactInputs {
  readonly address: string;
  readonly port: number;
}

const attempts = 10;
const pause = 1500;

/** The key that the host shows now. @throws after ten tries: 15 s where it is refused, minutes where nothing answers */
async function firstContact({ address, port }: ContactInputs): Promise<{ hostKey: string; fingerprint: string }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const hostKey = await scanHostKey(address, port);
      const fingerprint = fingerprintOf(hostKey);
      console.log(
        `host key of ${address}, recorded on first contact: ${fingerprint}. Compare it with the provider's console.`,
      );
      return { hostKey, fingerprint };
    } catch (error) {
      if (attempt === attempts) {
        throw new Error(
          `no ssh server with an ed25519 key answers at ${(error as Error).message}\n` +
            "  needed: pillar-host:host.address of a running host, and its ssh port (pillar-host:ssh.port)",
        );
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

const provider: pulumi.dynamic.ResourceProvider = {
  create: async (inputs) => ({
    id: `${inputs.address}:${inputs.port}`,
    outs: { ...inputs, ...(await firstContact(inputs)) },
  }),
  // Pinned for good at the first contact; only another address is another host.
  update: async (_id, olds, news) => ({
    outs:
      olds.address === news.address
        ? { ...olds, ...news, hostKey: olds.hostKey }
        : { ...news, ...(await firstContact(news)) },
  }),
};

/**
 * Records the ed25519 host key of an existing host on first contact, where the configuration does not give it
 * (design.md, host keys). create asks the host; update keeps what was recorded; delete does nothing.
 */
export class FirstContact extends pulumi.dynamic.Resource {
  declare public readonly hostKey: pulumi.Output<string>;
  declare public readonly fingerprint: pulumi.Output<string>;

  constructor(name: string, args: ContactInputs, options?: pulumi.CustomResourceOptions) {
    super(
      provider,
      name,
      { ...args, hostKey: undefined, fingerprint: undefined },
      options,
      "pillar-host",
      "FirstContact",
    );
  }
}
