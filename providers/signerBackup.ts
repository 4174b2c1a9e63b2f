import * as pulumi from "@pulumi/pulumi";
import type { NodeTarget } from "../core/chain/node";
import type { SignerIdentity } from "../core/chain/orchestrator";
import type { Backup } from "../core/orchestrator/backup";
import { lookAtBridge } from "../core/orchestrator/bridgeNow";
import { type Secured, type SecureOptions, secureSigner } from "../core/orchestrator/preparation";
import { openRoot, type SignerHost } from "../core/ssh/root";
import { lookAtNode } from "../core/sync/nodeStatus";
import { systemClock } from "../core/util/clock";
import { DynamicResource } from "./runtime/dynamicResource";
import { watchEngine } from "./runtime/engine";

/** Plain inputs, as the provider gets them. */
interface BackupInputs extends SecureOptions {
  readonly oldHost: SignerHost;
  readonly newHost: SignerHost;
  /** The functions that run on both, of core/steps/libraries.ts. */
  readonly library: string;
  /** The new host's node, and what the gate's evidence needs. */
  readonly node: NodeTarget;
  readonly references: readonly string[];
  /** Momentums. */
  readonly tolerance: number;
}

/** create and update: checks and backs up, or returns what was done for this move. */
export async function passBackup(inputs: BackupInputs): Promise<Secured> {
  const engine = watchEngine();
  const roots = { old: openRoot(inputs.oldHost, inputs.library), new: openRoot(inputs.newHost, inputs.library) };
  try {
    return await secureSigner(inputs, {
      roots,
      lookAtNode: () => lookAtNode(inputs.node, inputs),
      lookAtBridge: () => lookAtBridge(inputs),
      ...systemClock,
      say: (line) => console.log(line),
    });
  } finally {
    if (engine.isThere()) engine.stop();
    roots.old.close();
    roots.new.close();
  }
}

const provider: pulumi.dynamic.ResourceProvider = {
  create: async (inputs) => ({ id: "signer-backup", outs: { ...inputs, ...(await passBackup(inputs)) } }),
  update: async (_id, _olds, news) => ({ outs: { ...news, ...(await passBackup(news)) } }),
};

export interface SignerBackupArgs extends Omit<BackupInputs, "oldHost" | "newHost" | "node"> {
  /** These hold logins: secret. */
  readonly oldHost: pulumi.Input<SignerHost>;
  readonly newHost: pulumi.Input<SignerHost>;
  readonly node: pulumi.Input<NodeTarget>;
}

/**
 * What stands before the move of a signer (docs/specification.md, 1.2, steps 1 and 2): all prerequisites of both hosts,
 * reported together before anything is touched, then a backup of the old host's signer on the operator's machine,
 * encrypted and proved.
 *
 * create and update do the same, and return at once for a move that is recorded as done, or whose backup is proved and
 * still there. delete does nothing: backups stay.
 */
export class SignerBackup extends DynamicResource {
  /** Where the backup lies, and which identity opens it. */
  declare public readonly backup: pulumi.Output<Backup | undefined>;
  declare public readonly checkedAt: pulumi.Output<string | undefined>;
  declare public readonly oldVersion: pulumi.Output<string | undefined>;
  declare public readonly oldIdentity: pulumi.Output<SignerIdentity | undefined>;

  constructor(name: string, args: SignerBackupArgs, options?: pulumi.CustomResourceOptions) {
    super(
      "SignerBackup",
      provider,
      name,
      {
        ...args,
        oldHost: pulumi.secret(args.oldHost),
        newHost: pulumi.secret(args.newHost),
        node: pulumi.secret(args.node),
        ...{ backup: undefined, checkedAt: undefined, oldVersion: undefined, oldIdentity: undefined },
      },
      options,
    );
  }
}
