import * as pulumi from "@pulumi/pulumi";
import { createOldHost } from "../../core/chain/configuredNode.ts";
import type { StackConfig } from "../../core/config/config.ts";
import { openStackStore } from "../../core/config/stackStore.ts";
import { readMoveEvents } from "../../core/eventLog/eventLog.ts";
import { createMoveId, formatMove, isSameMove } from "../../core/eventLog/moveId.ts";
import type { LastRun, OrchestratorOutput } from "../../core/journey/outputs.ts";
import type { MoveTiming } from "../../core/journey/stackFacts.ts";
import { prepareBulkCopy } from "../../core/orchestrator/hosts/bulkCopyKey.ts";
import { createMoveInputs, createSecureOptions } from "../../core/orchestrator/hosts/moveInputs.ts";
import type { HostLogin } from "../../core/ssh/root.ts";
import { bulkCopy, orchestrator as installStep } from "../../core/steps/orchestratorSteps.ts";
import { systemClock } from "../../core/util/clock.ts";
import { isUnattended } from "../../core/util/unattended.ts";
import { OrchestratorBackup } from "../../providers/orchestratorBackup.ts";
import { OrchestratorMove } from "../../providers/orchestratorMove.ts";
import type { Host } from "../host/host.ts";
import type { NodeStatusReader } from "../node/nodeReading.ts";
import type { PillarNode } from "../node/pillarNode.ts";
import { createHostIdentity, runStep } from "../remote.ts";

/**
 * Decides whether the orchestrator moves in this run. It moves only in a run that began with a synced node, so that
 * nothing moves unattended at night after days of sync (docs/architecture.md, The move of the orchestrator is one
 * resource). Every later run registers a move that has begun, too.
 */
async function decideTiming(config: StackConfig, last: LastRun, look: NodeStatusReader): Promise<MoveTiming> {
  const { unattended } = config.orchestrator;
  if (!config.orchestrator.move) return last.orchestrator === undefined ? "none" : "removed";
  if (last.orchestrator !== undefined) return "now";
  const move = createMoveId(config);
  if ((await readMoveEvents(openStackStore(config))).some((entry) => isSameMove(entry.move, move))) return "now";
  if (isUnattended(process.env)) return "unwatched";
  if (unattended) return "now";
  const configured = config.host.provider === "existing" ? config.host : undefined;
  const address = configured?.address ?? last.address;
  const hostKey = configured?.hostKey ?? last.hostKey;
  if (address === undefined || hostKey === undefined) return "later";
  return (await look(address, hostKey)).synced ? "now" : "later";
}

/** Decides, before anything is registered, whether the orchestrator moves. @returns the decision, and what registers it */
export async function planOrchestrator(config: StackConfig, last: LastRun, look: NodeStatusReader) {
  const timing = await decideTiming(config, last, look);
  /** Registers the move, if it is due now. @returns the output `orchestrator`; without a move, that of the last run */
  const move = (host: Host, pillar: PillarNode) => {
    if (timing !== "now") return { shown: last.orchestrator && pulumi.output(last.orchestrator), resources: [] };
    const orchestrator = new Orchestrator("orchestrator", { host, after: [pillar, pillar.done] });
    return { shown: orchestrator.shown, resources: [orchestrator] };
  };
  return { timing, move };
}

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
