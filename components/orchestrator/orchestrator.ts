import * as pulumi from "@pulumi/pulumi";
import { createNodeRpc, type NodeRpc, resolveNode } from "../../core/chain/configuredNode";
import type { StackConfig } from "../../core/config/config";
import { createSecureOptions } from "../../core/orchestrator/checks/secureOptions";
import type {
  HostInputs,
  MoveInputs,
  OrchestratorPlace,
  SecureOptions,
} from "../../core/orchestrator/hosts/moveInputs";
import { pickAcknowledgements } from "../../core/orchestrator/rules/acknowledgements";
import { createOldHost } from "../../core/ssh/configuredLogin";
import type { OrchestratorHost } from "../../core/ssh/root";
import { readOrchestratorLibrary } from "../../core/steps/libraries";
import { orchestrator as installStep } from "../../core/steps/orchestratorSteps";
import type { Step } from "../../core/steps/step";
import type { WitnessSources } from "../../core/sync/chainSources";
import { createWitnessSources } from "../../core/sync/gateSettings";
import { OrchestratorBackup } from "../../providers/orchestratorBackup";
import { OrchestratorMove } from "../../providers/orchestratorMove";
import type { Host } from "../host/host";
import { createRootAccess, createSshTarget, runStep } from "../remote";

interface OrchestratorArgs {
  /** Resources that must exist first: the node, up to its producer address. */
  readonly after: readonly pulumi.Input<pulumi.Resource>[];
  /** The new host. */
  readonly host: Host;
  /** Secret, because it holds the login. */
  readonly oldHost: pulumi.Input<OrchestratorHost>;
  /** The RPC of the new host's node, which must be synced. */
  readonly rpc: NodeRpc;
  /** Installs the orchestrator's release on the new host, masked and not started. */
  readonly install: Step;
  /** Inputs of prerequisites and first backup: paths on both hosts, and the operator's acknowledgements. */
  readonly secure: SecureOptions;
  /** Nodes to ask besides the new host's, and the number of momentums by which the new host may be behind them. */
  readonly evidence: WitnessSources;
  /** The move and its direction. Timeouts in milliseconds. */
  readonly move: Pick<
    MoveInputs,
    "stack" | "pillar" | "rollback" | "notify" | "p2pPort" | "answerWithin" | "steadyFor"
  >;
  /** Counts this stack's moves from 1. */
  readonly attempt: number;
}

export function createOrchestratorArgs(
  config: StackConfig,
  host: Host,
  after: OrchestratorArgs["after"],
): OrchestratorArgs {
  const stack = pulumi.getStack();
  const { orchestrator } = config;
  return {
    after,
    host,
    oldHost: createOldHost(config),
    rpc: createNodeRpc(config),
    secure: createSecureOptions(config, stack),
    install: installStep(config),
    evidence: createWitnessSources(config),
    move: {
      stack,
      pillar: config.pillar.name,
      rollback: orchestrator.rollback,
      p2pPort: orchestrator.p2pPort,
      notify: config.notify,
      answerWithin: orchestrator.startTimeout,
      steadyFor: orchestrator.steadySeconds * 1000,
    },
    attempt: orchestrator.attempt,
  };
}

/**
 * Procedure B (docs/specification.md, 1.2): moves the orchestrator to this host, or back. Only the providers' code
 * connects to the old host. The journals tell what is left to do, so after the move the old
 * host may be gone.
 */
export class Orchestrator extends pulumi.ComponentResource {
  public readonly shown: pulumi.Output<OrchestratorShown>;

  constructor(name: string, args: OrchestratorArgs, options?: pulumi.ComponentResourceOptions) {
    super("pillar-host:orchestrator:Orchestrator", name, {}, options);
    const { host, secure, attempt } = args;
    const { move: moveName, old: from, new: to } = secure;
    const library = readOrchestratorLibrary();
    const oldAccess = pulumi.output(args.oldHost);
    const newAccess = createRootAccess(host.access);
    const node = createSshTarget(host.access).apply((ssh) => resolveNode(ssh, args.rpc));
    const evidence = { node, ...args.evidence };

    const backup = new OrchestratorBackup(
      `${name}-backup`,
      { ...secure, ...evidence, oldHost: oldAccess, newHost: newAccess, library },
      { parent: this, dependsOn: [...args.after] },
    );
    const install = runStep(`${name}-install`, args.install, host.access, { parent: this, dependsOn: [backup] });
    const pair = {
      old: oldAccess.apply((access) => createSideInputs(access, from)),
      new: newAccess.apply((access) => createSideInputs(access, to)),
      copy: { address: secure.copyAddress, port: secure.sshPort },
      rpcPort: to.rpcPort,
      library,
    };
    const move = new OrchestratorMove(
      `${name}-move`,
      {
        ...args.move,
        ...pickAcknowledgements(secure),
        move: moveName,
        ...pair,
        ...evidence,
        version: secure.release?.version,
        backup: { ...secure.backups, move: moveName },
      },
      { parent: this, dependsOn: [install.proved] },
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
  /** `no commit` if the build has none. */
  readonly gitCommit?: string;
  readonly goVersion?: string;
  readonly movedAt?: string;
  readonly secondsWithoutSigner?: number;
}
