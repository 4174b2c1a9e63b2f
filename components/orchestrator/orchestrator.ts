import * as pulumi from "@pulumi/pulumi";
import { createOldHost } from "../../core/chain/configuredNode.ts";
import { formatMove } from "../../core/eventLog/moveId.ts";
import type { OrchestratorOutput } from "../../core/journey/outputs.ts";
import { prepareBulkCopy } from "../../core/orchestrator/hosts/bulkCopyKey.ts";
import { createMoveInputs, createSecureOptions } from "../../core/orchestrator/hosts/moveInputs.ts";
import type { HostLogin } from "../../core/ssh/root.ts";
import { bulkCopy, orchestrator as installStep } from "../../core/steps/orchestratorSteps.ts";
import { systemClock } from "../../core/util/clock.ts";
import { isUnattended } from "../../core/util/unattended.ts";
import { OrchestratorBackup } from "../../providers/orchestratorBackup.ts";
import { OrchestratorMove } from "../../providers/orchestratorMove.ts";
import type { Host } from "../host/host.ts";
import { createHostIdentity, runStep } from "../remote.ts";

interface OrchestratorArgs {
  readonly host: Host;
  /** Resources that must exist first: the node, up to its producer address. */
  readonly after: readonly pulumi.Input<pulumi.Resource>[];
}

/**
 * Procedure B (docs/specification.md, 1.2): moves the orchestrator to this host, or back. The journals tell what is left
 * to do, so after the move the old host may be gone.
 */
export class Orchestrator extends pulumi.ComponentResource {
  public readonly shown: pulumi.Output<OrchestratorOutput>;

  constructor(name: string, { host, after }: OrchestratorArgs) {
    super("pillar-host:orchestrator:Orchestrator", name);
    const { config } = host;
    const { rollback, attempt } = config.orchestrator;
    const options = createSecureOptions(config);
    const triggers = { ...createHostIdentity(host.access), options };
    const backup = new OrchestratorBackup(`${name}-backup`, triggers, { parent: this, dependsOn: [...after] });
    const install = runStep(`${name}-install`, installStep(config), host.access, { parent: this, dependsOn: [backup] });
    const copy = {
      ...bulkCopy(config, { user: options.sshUser, address: options.copyAddress, port: options.sshPort }),
      // In the program: a resource would leave the key on both hosts if a step between them failed.
      before: async ({ ssh }: HostLogin, show: (line: string) => void) => {
        // The move that follows would refuse to run, so nothing may be left on the new host for it.
        if (isUnattended(process.env)) return;
        const say = (line: string) => show(`orchestrator: ${line}`);
        await prepareBulkCopy(createMoveInputs(config, ssh.address, ssh.hostKey), { ...systemClock, say });
      },
    };
    const copied = runStep(`${name}-bulk-copy`, copy, host.access, {
      parent: this,
      dependsOn: [install.proved],
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
