import * as pulumi from "@pulumi/pulumi";
import { createHostNode } from "../../core/chain/configuredNode.ts";
import type { StackConfig } from "../../core/config/config.ts";
import { formatMove } from "../../core/eventLog/moveId.ts";
import { createSecureOptions } from "../../core/orchestrator/hosts/moveInputs.ts";
import { createOldHost } from "../../core/ssh/configuredLogin.ts";
import { readOrchestratorLibrary } from "../../core/steps/libraries.ts";
import { bulkCopy, orchestrator as installStep } from "../../core/steps/orchestratorSteps.ts";
import { createWitnessSources } from "../../core/sync/gateSettings.ts";
import { CopyKey } from "../../providers/copyKey.ts";
import { OrchestratorBackup } from "../../providers/orchestratorBackup.ts";
import { OrchestratorMove } from "../../providers/orchestratorMove.ts";
import type { Host } from "../host/host.ts";
import { createRootAccess, createSshTarget, runStep } from "../remote.ts";

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
  public readonly shown: pulumi.Output<OrchestratorShown>;

  constructor(name: string, { config, host, after }: OrchestratorArgs) {
    super("pillar-host:orchestrator:Orchestrator", name);
    const { rollback, p2pPort, attempt, startTimeout, steadySeconds } = config.orchestrator;
    const options = createSecureOptions(config, pulumi.getStack());
    const oldAccess = pulumi.output(createOldHost(config));
    const backupInputs = {
      ...options,
      ...createWitnessSources(config),
      old: oldAccess.apply((access) => ({ ...options.old, host: access })),
      new: createRootAccess(host.access).apply((access) => ({ ...options.new, host: access })),
      node: createSshTarget(host.access).apply((ssh) => createHostNode(config, ssh)),
      library: readOrchestratorLibrary(),
    };
    const moveInputs = {
      ...backupInputs,
      pillar: config.pillar.name,
      rollback,
      p2pPort,
      notify: config.notify,
      answerWithin: startTimeout,
      steadyFor: steadySeconds * 1000,
    };
    const backup = new OrchestratorBackup(`${name}-backup`, backupInputs, { parent: this, dependsOn: [...after] });
    const install = runStep(`${name}-install`, installStep(config), host.access, { parent: this, dependsOn: [backup] });
    const copyKey = new CopyKey(`${name}-copy-key`, moveInputs, { parent: this, dependsOn: [install.proved] });
    const from = { user: options.sshUser, address: options.copyAddress, port: options.sshPort };
    const copied = runStep(`${name}-bulk-copy`, bulkCopy(config, from), host.access, {
      parent: this,
      dependsOn: [copyKey],
      // Every move needs a copy, but the step's text is always the same, so the move's name triggers it.
      triggers: [formatMove(options.move)],
    });
    const move = new OrchestratorMove(`${name}-move`, moveInputs, { parent: this, dependsOn: [copied.proved] });
    const addresses = { old: pulumi.unsecret(oldAccess.apply(({ ssh }) => ssh.address)), new: host.access.address };
    this.shown = createMoveOutput(move, addresses, { attempt, rpcPort: options.new.rpcPort });
    this.registerOutputs({ shown: this.shown });
  }
}

function createMoveOutput(
  { holder, why, build, movedAt, secondsWithoutSigner }: OrchestratorMove,
  addresses: Readonly<Record<"old" | "new", pulumi.Input<string>>>,
  fixed: Pick<OrchestratorShown, "attempt" | "rpcPort">,
): pulumi.Output<OrchestratorShown> {
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

/** The output `orchestrator`. Not secret. */
export interface OrchestratorShown {
  /** The host that the orchestrator is on: `old` or `new`. */
  readonly side: string;
  readonly address: string;
  readonly why: string;
  readonly attempt: number;
  readonly rpcPort: number;
  /** The version of getBuildInfo (docs/specification.md, 2.4). */
  readonly version?: string;
  /** The build's git commit, or `no commit`. */
  readonly gitCommit?: string;
  readonly goVersion?: string;
  readonly movedAt?: string;
  readonly secondsWithoutSigner?: number;
}
