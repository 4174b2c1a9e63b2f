import { isIP } from "node:net";
import { z } from "zod";
import type { SchemaFault } from "./configFaults";
import { findHostFaults, hostSchema } from "./hostSchema";
import { sshSchema } from "./loginSchema";
import { controllerSchema, findSyncFaults, nodeSchema, ownAddress, syncSchema } from "./nodeSchema";
import { findOrchestratorFaults, orchestratorSchema } from "./orchestratorSchema";
import { networkSchema, retirementSchema } from "./retirementSchema";
import { findSameMachineFaults } from "./sameMachine";
import { pillarName, webAddress } from "./schemaParts";
import { findStoreFaults, storeSchema } from "./storeSchema";

/** The webhook is a secret: its path or host name works as a password, as with ntfy topics and Slack hooks. */
const webhook = webAddress("needed the http or https address of a webhook, such as an ntfy topic's");

/** Checks that a directly asked RPC has an IP address: the node refuses requests by name. */
function findRpcFaults({
  host,
  node,
}: {
  host: z.output<typeof hostSchema>;
  node: z.output<typeof nodeSchema>;
}): SchemaFault[] {
  if (node.rpc !== "direct" || node.rpcAddress !== ownAddress) return [];
  if (host.provider !== "existing" || isIP(host.address) !== 0) return [];
  return [
    [
      ["node", "rpcAddress"],
      `needed the IP address of ${host.address} with node.rpc: direct, because the node refuses names (403). ` +
        `Find it with: getent hosts ${host.address}; or leave node.rpc out, to ask through ssh`,
      { set: "node.rpcAddress", toWord: "ADDRESS" },
    ],
  ];
}

function checkRelease({ lifecycle, controller }: Partial<Blocks>, context: z.RefinementCtx): void {
  const isThere = typeof controller !== "object" || controller === null || controller.release !== undefined;
  if (lifecycle !== "active" || isThere) return;
  const path = ["controller", "release", "url"];
  context.addIssue({ code: "invalid_type", expected: "string", input: undefined, path });
}

interface Blocks {
  readonly lifecycle: string;
  readonly controller: z.output<typeof controllerSchema> | null;
}

/** Has the keys below `pillar-host:`; docs/configuration.md and stack.schema.json are made from it (npm run schema). */
export const stackSchema = z
  .strictObject({
    pillar: z
      .strictObject({
        name: pillarName.meta({
          description: "The Pillar's name, as registered on chain",
          needed: "the Pillar's name, as registered on chain",
        }),
      })
      .meta({ description: "The Pillar whose host this is" }),
    lifecycle: z
      .enum(["active", "adopted", "retiring"])
      .default("active")
      .meta({
        description:
          "What this host is to the Pillar: `active`, set up by this program; `adopted`, set up by somebody else and taken over " +
          "without a change; `retiring`, its node shut down, so that `pulumi destroy` can release it",
        see: "retiring.md",
      }),
    host: hostSchema,
    ssh: sshSchema,
    controller: controllerSchema,
    node: nodeSchema,
    sync: syncSchema,
    notify: webhook.optional().meta({
      description:
        "A webhook that gets a notification when the node has synced, when its height stalls and when it grows again, at " +
        "`sync.deadline`, when the wait or the orchestrator's move fails, when the orchestrator has moved, when the wallet was " +
        "updated too early, when the new address is registered, when the Pillar produces, and when the old host can be " +
        "retired. `status --all --notify` also sends it every alert, and the end of each alert",
      secret: true,
    }),
    heartbeat: webhook.optional().meta({
      description:
        "An address, such as a check of healthchecks.io, that `status --all --notify` calls after each run, with `/fail` " +
        "behind it if a stack could not be read or a webhook refused. Its service alerts you when the calls stop",
      secret: true,
    }),
    store: storeSchema,
    orchestrator: orchestratorSchema,
    network: networkSchema,
    retirement: retirementSchema,
  })
  .superRefine(checkRelease, { when: () => true })
  .superRefine((config, context) => {
    const faults = [
      findHostFaults,
      findRpcFaults,
      findSameMachineFaults,
      findSyncFaults,
      findStoreFaults,
      findOrchestratorFaults,
    ].flatMap((find) => find(config));
    for (const [path, message, cure] of faults)
      context.addIssue({ code: "custom", path: [...path], message, params: cure ? { cure } : undefined });
  });
