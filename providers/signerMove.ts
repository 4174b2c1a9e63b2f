import * as pulumi from "@pulumi/pulumi";
import { lookAtBridge } from "../core/orchestrator/bridgeNow";
import { type MoveOutputs, move } from "../core/orchestrator/move";
import type { MoveInputs } from "../core/orchestrator/moveInputs";
import { lookAtNode } from "../core/sync/nodeStatus";
import { systemClock } from "../core/util/clock";
import { DynamicResource } from "./runtime/dynamicResource";
import { watchEngine } from "./runtime/engine";

/** The move of create and update: the journals on both hosts decide what is left of it. */
async function run(inputs: MoveInputs, before: Partial<MoveOutputs>): Promise<MoveInputs & MoveOutputs> {
  const engine = watchEngine();
  const deps = {
    ...systemClock,
    say: (line: string) => console.log(`orchestrator: ${line}`),
  };
  try {
    const chain = { lookAtNode: () => lookAtNode(inputs.node, inputs), lookAtBridge: () => lookAtBridge(inputs) };
    const done = await move(inputs, { ...deps, ...chain }, engine.isThere);
    // A run that finds it done keeps what was told of it.
    const { movedAt, secondsWithoutSigner, build } = before.holder === done.holder ? before : {};
    const kept = Object.entries({ movedAt, secondsWithoutSigner, build }).filter(([, value]) => value !== undefined);
    return { ...inputs, ...Object.fromEntries(kept), ...done };
  } finally {
    if (engine.isThere()) engine.stop();
  }
}

const provider: pulumi.dynamic.ResourceProvider = {
  create: async (inputs) => ({ id: "signer-move", outs: await run(inputs, {}) }),
  update: async (_id, olds, news) => ({ outs: await run(news, olds) }),
};

export interface SignerMoveArgs extends Omit<MoveInputs, "old" | "new" | "node"> {
  /** These hold logins: secret. */
  readonly old: pulumi.Input<MoveInputs["old"]>;
  readonly new: pulumi.Input<MoveInputs["new"]>;
  readonly node: pulumi.Input<MoveInputs["node"]>;
}

/**
 * Moves the signer from the old host to this one, or back (docs/specification.md, 1.2, steps 4 to 7): a saga whose
 * journal lies on both hosts. create and update do what is left of it; delete does nothing, so that leaving the state
 * moves nothing.
 */
export class SignerMove extends DynamicResource {
  declare public readonly holder: pulumi.Output<MoveOutputs["holder"]>;
  declare public readonly why: pulumi.Output<MoveOutputs["why"]>;
  declare public readonly build: pulumi.Output<MoveOutputs["build"]>;
  declare public readonly movedAt: pulumi.Output<string | undefined>;
  declare public readonly secondsWithoutSigner: pulumi.Output<number | undefined>;

  constructor(name: string, args: SignerMoveArgs, options: pulumi.CustomResourceOptions) {
    super(
      "SignerMove",
      provider,
      name,
      {
        ...args,
        old: pulumi.secret(args.old),
        new: pulumi.secret(args.new),
        node: pulumi.secret(args.node),
        ...{ holder: undefined, why: undefined, build: undefined, movedAt: undefined, secondsWithoutSigner: undefined },
      },
      { ...options, additionalSecretOutputs: ["old", "new", "node"] },
    );
  }
}
