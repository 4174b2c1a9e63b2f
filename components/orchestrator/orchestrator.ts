import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import { nodeTarget } from "../../core/settings/login";
import {
  acknowledgedOf,
  newHost,
  newPlace,
  oldHost,
  oldPlace,
  secureOptions,
} from "../../core/settings/orchestratorPlaces";
import { signerLibrary } from "../../core/steps/libraries";
import { orchestrator as installStep } from "../../core/steps/steps";
import { SignerBackup } from "../../providers/signerBackup";
import { SignerMove } from "../../providers/signerMove";
import type { Host } from "../host/host";
import { runStep } from "../remote";

export interface OrchestratorArgs {
  /** What must be done first: the node, up to its producer address. */
  readonly after: pulumi.Resource;
  readonly host: Host;
  readonly config: StackConfig;
}

/**
 * Procedure B (docs/specification.md, 1.2): the signer comes from the old host to this one, and goes back where the
 * configuration says so. Nothing of it connects to the old host but the code of its two providers, so that the old one
 * may be gone.
 */
export class Orchestrator extends pulumi.ComponentResource {
  /** What a stack is shown of its signer. */
  public readonly shown: pulumi.Output<SignerShown>;

  constructor(name: string, { host, config, after }: OrchestratorArgs, options?: pulumi.ComponentResourceOptions) {
    super("pillar-host:orchestrator:Orchestrator", name, {}, options);
    const stack = pulumi.getStack();
    const secure = secureOptions(config, stack);
    const old = oldHost(config);
    const library = signerLibrary();
    const at = pulumi.all([host.access.address, host.access.hostKey]);
    const fresh = at.apply(([address, hostKey]) => newHost(config, address, hostKey));

    const node = at.apply(([address, hostKey]) => nodeTarget(config, address, hostKey));
    const steadyFor = config.orchestrator.steadySeconds * 1000;
    const evidence = { node, references: config.sync.references, tolerance: config.sync.tolerance };

    const backup = new SignerBackup(
      `${name}-backup`,
      {
        ...{ ...secure, ...evidence, oldHost: old, newHost: fresh, library },
      },
      { parent: this, dependsOn: [after] },
    );
    const install = runStep(`${name}-install`, installStep(config), host.access, { parent: this, dependsOn: [backup] });
    const { service, directory, executable, rpcPort } = newPlace(config);
    const from = oldPlace(config);
    const move = new SignerMove(
      `${name}-move`,
      {
        ...{ move: secure.move, stack, pillar: config.pillar.name, rollback: config.orchestrator.rollback },
        old: { host: old, service: from.service, directory: from.directory, executable: from.executable },
        new: fresh.apply((to) => ({ host: to, service, directory, executable })),
        copy: { address: secure.copyAddress, port: secure.sshPort },
        ...{ rpcPort, library },
        ...(secure.release === undefined ? {} : { version: secure.release.version }),
        backup: { ...secure.backups, move: secure.move },
        ...{ ...evidence, answerWithin: config.orchestrator.startTimeout, steadyFor },
        ...{ p2pPort: config.orchestrator.p2pPort, ...acknowledgedOf(config) },
      },
      { parent: this, dependsOn: [install] },
    );
    this.shown = pulumi
      .all([move.holder, move.why, move.build, move.movedAt, move.secondsWithoutSigner, host.access.address])
      .apply(([side, why, build, movedAt, secondsWithoutSigner, address]) => ({
        ...{
          side,
          address: side === "new" ? address : old.ssh.address,
          why,
          attempt: config.orchestrator.attempt,
          rpcPort,
        },
        ...(build && { ...build, gitCommit: build.gitCommit || "no commit" }),
        ...(movedAt === undefined ? {} : { movedAt }),
        ...(secondsWithoutSigner === undefined ? {} : { secondsWithoutSigner }),
      }));
    this.registerOutputs({ shown: this.shown });
  }
}

/** The output `orchestrator`. No secret. */
export interface SignerShown {
  /** Where the signer is: `old` or `new`. */
  readonly side: string;
  readonly address: string;
  readonly why: string;
  readonly attempt: number;
  /** Where it is asked how it does; absent in what an earlier version of the program recorded. */
  readonly rpcPort?: number;
  /** Of getBuildInfo (docs/specification.md, 2.4); `no commit` where the build was given none. */
  readonly version?: string;
  readonly gitCommit?: string;
  readonly goVersion?: string;
  readonly movedAt?: string;
  readonly secondsWithoutSigner?: number;
}
