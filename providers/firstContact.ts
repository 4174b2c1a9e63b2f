import * as pulumi from "@pulumi/pulumi";
import type { OwnServer } from "../core/ssh/ownServer";
import { fingerprintOf } from "../core/ssh/publicKey";
import { deps, reach, silentText, whileItBoots } from "../core/ssh/reachability";
import { type SshTarget, scanHostKey } from "../core/ssh/ssh";
import { DynamicResource } from "./runtime/dynamicResource";
import { watchEngine } from "./runtime/engine";

/** Plain inputs, as the provider gets them. */
interface ContactInputs {
  readonly address: string;
  readonly port: number;
  /** The configured key; without one, the host's own is recorded. */
  readonly hostKey?: string;
  readonly login: Omit<SshTarget, "address" | "port" | "hostKey">;
  /** What is to be done on the host: another word, another look. */
  readonly work: string;
  /** Another one in each run that has to look, whatever else is the same. */
  readonly run?: string;
  /** The host, where this stack made it. */
  readonly server?: OwnServer;
  /** Keeps what is known, without a look. */
  readonly standsAside?: boolean;
}

interface ContactOutputs {
  /** The key that every connection is pinned to. */
  readonly pinned: string;
  readonly fingerprint: string;
}

async function recordKey({ address, port, login }: ContactInputs): Promise<string> {
  let pinned: string;
  try {
    pinned = await whileItBoots(() => scanHostKey(address, port), deps);
  } catch (error) {
    throw new Error(silentText({ address, port, ...login }, (error as Error).message));
  }
  console.log(
    `host key of ${address}, recorded on first contact: ${fingerprintOf(pinned)}. Compare it with the provider's console.`,
  );
  return pinned;
}

async function look(
  inputs: ContactInputs,
  recorded: string | undefined,
  isFirst: boolean,
): Promise<ContactInputs & ContactOutputs> {
  const { address, port, login, server } = inputs;
  if (inputs.standsAside) {
    // A key that nobody recorded lets nobody in.
    const pinned = inputs.hostKey ?? recorded ?? "";
    return { ...inputs, pinned, fingerprint: pinned === "" ? "" : fingerprintOf(pinned) };
  }
  // A boot is waited for long: not for an engine that was killed.
  const engine = watchEngine();
  try {
    const pinned = inputs.hostKey ?? recorded ?? (await recordKey(inputs));
    await reach({ ...login, address, port, hostKey: pinned }, deps, server, isFirst);
    return { ...inputs, pinned, fingerprint: fingerprintOf(pinned) };
  } finally {
    if (engine.isThere()) engine.stop();
  }
}

const provider: pulumi.dynamic.ResourceProvider = {
  // The end of the runs that have to look is no reason for one more.
  diff: async (_id, olds, news) => {
    const differ = (key: string) => JSON.stringify(olds[key]) !== JSON.stringify(news[key]);
    const gone = news.hostKey === undefined && olds.hostKey !== undefined;
    return { changes: gone || Object.keys(news).some(differ) };
  },
  create: async (inputs) => ({ id: `${inputs.address}:${inputs.port}`, outs: await look(inputs, undefined, true) }),
  // Pinned for good at the first contact; only another address is another host.
  update: async (_id, olds, news) => {
    const isSame = olds.address === news.address && olds.server?.id === news.server?.id;
    return { outs: await look(news, isSame ? olds.pinned : undefined, !isSame) };
  },
};

export interface FirstContactArgs extends Pick<ContactInputs, "port" | "work"> {
  readonly address: pulumi.Input<string>;
  readonly hostKey?: pulumi.Input<string>;
  readonly login: pulumi.Input<ContactInputs["login"]>;
  readonly run: pulumi.Input<string | undefined>;
  readonly standsAside: boolean | undefined;
  readonly server?: pulumi.Input<OwnServer>;
}

/**
 * Logs in to a host before the first step does, so that what is wrong with address, key or login is said in words and
 * with the command that mends it; waits for the boot of a server that this stack made; records the host's ed25519 key
 * where the configuration gives none (docs/architecture.md, Host keys are pinned). create and update log in; delete
 * does nothing.
 */
export class FirstContact extends DynamicResource {
  declare public readonly pinned: pulumi.Output<string>;
  declare public readonly fingerprint: pulumi.Output<string>;

  constructor(name: string, args: FirstContactArgs, options?: pulumi.CustomResourceOptions) {
    super(
      "FirstContact",
      provider,
      name,
      { ...args, login: pulumi.secret(args.login), pinned: undefined, fingerprint: undefined },
      options,
    );
  }
}
