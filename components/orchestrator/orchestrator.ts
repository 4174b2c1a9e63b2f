import * as pulumi from "@pulumi/pulumi";
import { createOldHost } from "../../core/chain/configuredNode.ts";
import type { StackConfig } from "../../core/config/config.ts";
import { formatMove } from "../../core/eventLog/moveId.ts";
import type { OrchestratorOutput } from "../../core/journey/outputs.ts";
import { createSecureOptions } from "../../core/orchestrator/hosts/moveInputs.ts";
import { bulkCopy, orchestrator as installStep } from "../../core/steps/orchestratorSteps.ts";
import { CopyKey } from "../../providers/copyKey.ts";
import { OrchestratorBackup } from "../../providers/orchestratorBackup.ts";
import { OrchestratorMove } from "../../providers/orchestratorMove.ts";
import type { Host } from "../host/host.ts";
import { createHostIdentity, runStep } from "../remote.ts";

interface OrchestratorArgs {
  readonly config: StackConfig;
  readonly host: Host;
  /** Resources that must exist first: the node, up to its producer address. */
  readonly after: readonly pulumi.Input<pulumi.Resource>[];
}

/**
 * Procedure B (docs/specification.md, 1.2): moves the orchestrator to this host, or back. Only the providers' code and
 * the new host's bulk copy connect to the old host. The journals tell what is left to do, so after the move the old
 * host may be gone.
 */
export class Orchestrator extends pulumi.ComponentResource {
  public readonly shown: pulumi.Output<OrchestratorOutput>;

  constructor(name: string, { config, host, after }: OrchestratorArgs) {
    super("pillar-host:orchestrator:Orchestrator", name);
    const { rollback, attempt } = config.orchestrator;
    const options = createSecureOptions(config);
    const known = createHostIdentity(host.access);
    const triggers = { ...known, options };
    const backup = new OrchestratorBackup(`${name}-backup`, triggers, { parent: this, dependsOn: [...after] });
    const install = runStep(`${name}-install`, installStep(config), host.access, { parent: this, dependsOn: [backup] });
    const copyKey = new CopyKey(
      `${name}-copy-key`,
      { ...known, move: options.move },
      { parent: this, dependsOn: [install.proved] },
    );
    const from = { user: options.sshUser, address: options.copyAddress, port: options.sshPort };
    const copied = runStep(`${name}-bulk-copy`, bulkCopy(config, from), host.access, {
      parent: this,
      dependsOn: [copyKey],
      // Every move needs a copy, but the step's text is always the same, so the move's name triggers it.
      triggers: [formatMove(options.move)],
    });
    const move = new OrchestratorMove(
      `${name}-move`,
      { ...triggers, rollback },
      { parent: this, dependsOn: [copied.proved] },
    );
    const addresses = { old: createOldHost(config).host.ssh.address, new: host.access.address };
    this.shown = createMoveOutput(move, addresses, { attempt, rpcPort: options.new.rpcPort });
    this.registerOutputs({ shown: this.shown });
  }
}

function createMoveOutput(
  { holder, why, build, movedAt, secondsWithoutSigner }: OrchestratorMove,
  addresses: Readonly<Record<"old" | "new", pulumi.Input<string>>>,
  fixed: Pick<OrchestratorOutput, "attempt" | "rpcPort">,
): pulumi.Output<OrchestratorOutput> {
  return pulumi
    .all([holder, why, build, movedAt, secondsWithoutSigner, pulumi.output(addresses)])
    .apply(([side, why, build, movedAt, secondsWithoutSigner, address]) => ({
      side,
      address: address[side],
      why,
      ...fixed,
      ...(build && { ...build, gitCommit: build.gitCommit || "no commit" }),
      movedAt,
      secondsWithoutSigner,
    }));
}
