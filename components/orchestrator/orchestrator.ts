import * as pulumi from "@pulumi/pulumi";
import { createNodeRpc, resolveNode } from "../../core/chain/configuredNode";
import type { StackConfig } from "../../core/config/config";
import { formatMove } from "../../core/eventLog/moveId";
import { createSecureOptions } from "../../core/orchestrator/checks/secureOptions";
import type { HostInputs, OrchestratorPlace } from "../../core/orchestrator/hosts/moveInputs";
import { pickAcknowledgements } from "../../core/orchestrator/rules/acknowledgements";
import { createOldHost } from "../../core/ssh/configuredLogin";
import type { OrchestratorHost } from "../../core/ssh/root";
import { readOrchestratorLibrary } from "../../core/steps/libraries";
import { bulkCopy, orchestrator as installStep } from "../../core/steps/orchestratorSteps";
import { createWitnessSources } from "../../core/sync/gateSettings";
import { CopyKey } from "../../providers/copyKey";
import { OrchestratorBackup } from "../../providers/orchestratorBackup";
import { OrchestratorMove } from "../../providers/orchestratorMove";
import type { Host } from "../host/host";
import { createRootAccess, createSshTarget, runStep } from "../remote";

interface OrchestratorArgs {
  readonly config: StackConfig;
  /** The new host. */
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
    const stack = pulumi.getStack();
    const { rollback, p2pPort, attempt, startTimeout, steadySeconds } = config.orchestrator;
    const secure = createSecureOptions(config, stack);
    const { move: moveName, old: from, new: to, copyAddress, sshPort } = secure;
    const library = readOrchestratorLibrary();
    const oldAccess = pulumi.output(createOldHost(config));
    const newAccess = createRootAccess(host.access);
    const node = createSshTarget(host.access).apply((ssh) => resolveNode(ssh, createNodeRpc(config)));
    const evidence = { node, ...createWitnessSources(config) };

    const backup = new OrchestratorBackup(
      `${name}-backup`,
      { ...secure, ...evidence, oldHost: oldAccess, newHost: newAccess, library },
      { parent: this, dependsOn: [...after] },
    );
    const install = runStep(`${name}-install`, installStep(config), host.access, { parent: this, dependsOn: [backup] });
    const pair = {
      old: oldAccess.apply((access) => createSideInputs(access, from)),
      new: newAccess.apply((access) => createSideInputs(access, to)),
      copy: { address: copyAddress, port: sshPort },
      rpcPort: to.rpcPort,
      library,
    };
    const copyKey = new CopyKey(
      `${name}-copy-key`,
      { ...pair, stack, rollback, p2pPort, move: moveName },
      { parent: this, dependsOn: [install.proved] },
    );
    // Every move needs a copy, but the step's text is always the same, so the move's name triggers it.
    const step = bulkCopy(config, { user: createOldHost(config).ssh.user, address: copyAddress, port: sshPort });
    const copied = runStep(`${name}-bulk-copy`, step, host.access, {
      parent: this,
      dependsOn: [copyKey],
      triggers: [formatMove(moveName)],
    });
    const move = new OrchestratorMove(
      `${name}-move`,
      {
        stack,
        pillar: config.pillar.name,
        rollback,
        p2pPort,
        notify: config.notify,
        answerWithin: startTimeout,
        steadyFor: steadySeconds * 1000,
        ...pickAcknowledgements(secure),
        move: moveName,
        ...pair,
        ...evidence,
        version: secure.release?.version,
        backup: { ...secure.backups, move: moveName },
      },
      { parent: this, dependsOn: [copied.proved] },
    );
    const addresses = { old: pulumi.unsecret(oldAccess.apply(({ ssh }) => ssh.address)), new: host.access.address };
    this.shown = createMoveOutput(move, addresses, { attempt, rpcPort: to.rpcPort });
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

function createSideInputs(host: OrchestratorHost, { service, directory, executable }: OrchestratorPlace): HostInputs {
  return { host, service, directory, executable };
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
