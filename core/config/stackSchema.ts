import { isIP } from "node:net";
import { z } from "zod";
import { isSameMachine, normalizeHost, parseHostPort } from "../util/hostPort.ts";
import { supportedDistributions } from "./distributions.ts";
import { hostSchema } from "./hostSchema.ts";
import { loginRule, otherHostShape, readPrivateKey, sshSchema } from "./loginSchema.ts";
import { controllerSchema, nodeSchema, ownAddress, syncSchema } from "./nodeSchema.ts";
import { moveKeys, orchestratorSchema } from "./orchestratorSchema.ts";
import { address, block, duration, pillarName, rpcUrl, storeSchema, webAddress } from "./schemaParts.ts";

const networkSchema = block({
  epoch: duration("1s").prefault("24h").describe("The length of an epoch, for which rewards are paid"),
  momentum: duration("100ms").prefault("10s").describe("The time between two momentums"),
  tickMomentums: z.number().int().min(1).default(30).meta({
    description:
      "Momentums in a tick, the time (5 minutes) for which producers are elected. An update in the wallet takes effect in the second tick after its own",
    unit: "momentums",
  }),
}).describe("The chain's own times; a chain other than the real one may have others");

const oldHost = z
  .strictObject({
    ...otherHostShape,
    copyAddress: address
      .optional()
      .meta({ description: "The address at which the new host reaches the old host's ssh", otherwise: "`address`" }),
  })
  .transform(readPrivateKey)
  .meta({
    description: `The Pillar's old host: a witness of the chain; with \`sync.from: oldHost\` the source of the chain copy, with \`orchestrator.move\` that of the orchestrator. ${loginRule}`,
    see: "sync.md#the-chain-from-the-old-host",
  });

const successor = z
  .strictObject(otherHostShape)
  .transform(readPrivateKey)
  .describe(`The host that produces after this one. ${loginRule}`);

const retirementSchema = block({
  successor: successor.optional(),
  references: z.array(rpcUrl).default([]).describe("Independent nodes to ask beside those of `sync.references`"),
}).meta({ description: "How this host is retired", see: "retiring.md" });

/** The webhook is a secret: its path or host name works as a password, as with ntfy topics and Slack hooks. */
const webhook = webAddress("needed the http or https address of a webhook or check, such as an ntfy topic's");

const keys = z.strictObject({
  pillar: z
    .strictObject({ name: pillarName.describe("The Pillar's name, as registered on chain") })
    .describe("The Pillar whose host this is"),
  lifecycle: z.enum(["active", "adopted", "retiring"]).default("active").meta({
    description:
      "What this host is to the Pillar: `active`, set up by this program; `adopted`, set up by somebody else and taken over without a change, except for the node's version with `node.release`; `retiring`, its node shut down, so that `pulumi destroy` can release it",
    see: "retiring.md",
  }),
  host: hostSchema,
  ssh: sshSchema,
  controller: controllerSchema,
  node: nodeSchema,
  sync: syncSchema,
  oldHost: oldHost.optional(),
  notify: webhook.optional().meta({
    description:
      "A webhook that gets a notification when the node has synced, when its height stalls and when it grows again, when its version is too old, at `sync.deadline`, when the wait or the orchestrator's move fails, when the host's disk was set back, when the orchestrator has moved, when the wallet was updated too early, when the new address is registered, when the Pillar produces, and when the old host can be retired. `status --all --notify` also sends it every alert, the end of each, and once a day a reminder of those that last",
    secret: true,
  }),
  heartbeat: webhook.optional().meta({
    description:
      "The address of a check, at healthchecks.io or of your own, that `status --all --notify` calls (GET) after each look, whatever it found, unless the stack's webhook did not take an alert, or a stack can't be opened. Its service tells you when the calls stop. Stacks may share one: it is called once",
    secret: true,
  }),
  store: storeSchema,
  orchestrator: orchestratorSchema,
  network: networkSchema,
  retirement: retirementSchema,
});

type Config = z.output<typeof keys>;

/** A combination of keys that is refused: the key to change below `pillar-host:`, and the message. */
type Fault = readonly [key: string, message: string];

/** Has the keys below `pillar-host:`; `npm run schema` makes docs/configuration.md and docs/stack.schema.json of it. */
export const stackSchema = keys.superRefine((config, context) => {
  const rules = [
    findCloudFaults,
    findNodeFaults,
    findPortFaults,
    findDirectoryFaults,
    findWitnessFaults,
    findOtherHostFaults,
    findOrchestratorFaults,
  ];
  for (const [key, message] of rules.flatMap((find) => find(config)))
    context.addIssue({ code: "custom", path: key.split("."), message });
});

const collect = (faults: readonly (Fault | false)[]) => faults.filter((fault) => fault !== false);

function findCloudFaults({ host, lifecycle, ssh }: Config): Fault[] {
  if (host.provider === "existing") return [];
  if (lifecycle !== "active")
    return collect([
      lifecycle === "adopted" &&
        host.importId === undefined && ["host.importId", "needed with lifecycle adopted: the number of its server"],
    ]);
  const images = [...supportedDistributions, ...host.acceptDistributions];
  return collect([
    host.importId !== undefined && [
      "host.importId",
      "is for lifecycle adopted only: remove it, because an active stack orders its own server",
    ],
    host.sshFrom.length === 0 && [
      "host.sshFrom",
      "needed the networks that may connect to ssh, yours among them, such as 192.0.2.1/32: without them pulumi could not reach the host. curl -4 https://ifconfig.co shows your address; 0.0.0.0/0 lets everybody try",
    ],
    ssh.privateKey === undefined && [
      "ssh.privateKeyFile",
      "needed your ssh key, such as ~/.ssh/id_ed25519: a new server at a cloud provider accepts nothing else",
    ],
    ssh.user !== "root" && ["ssh.user", "needed root on a new server"],
    ssh.port !== 22 && ["ssh.port", "needed 22 on a new server"],
    !images.includes(host.image) && [
      "host.image",
      `needed one of ${images.join(", ")} (or add yours to host.acceptDistributions)`,
    ],
  ]);
}

function findNodeFaults({ host, lifecycle, controller, node, store, orchestrator }: Config): Fault[] {
  const isNamed = host.provider === "existing" && isIP(host.address) === 0;
  return collect([
    lifecycle === "active" &&
      controller.release === undefined && [
        "controller.release",
        "needed on an active stack: the url of the controller's zip archive",
      ],
    node.rpc === "direct" &&
      node.rpcAddress === ownAddress &&
      isNamed && [
        "node.rpcAddress",
        "needed the host's IP address with node.rpc: direct, because the node refuses names (403); or leave node.rpc out",
      ],
    store !== undefined &&
      orchestrator.backup.directory !== undefined && [
        "store",
        "is for the same files as orchestrator.backup.directory: needed one of the two",
      ],
  ]);
}

/** Requires that the orchestrator's directory, which a move renames, and that of the node are not in each other. */
function findDirectoryFaults({ node, orchestrator }: Config): Fault[] {
  const [own, other] = [node.dataDir, orchestrator.directory];
  if (!`${own}/`.startsWith(`${other}/`) && !`${other}/`.startsWith(`${own}/`)) return [];
  const found = `found "${own}" and "${other}", the orchestrator's directory`;
  return [["node.dataDir", `${found}: needed directories of which none is in the other`]];
}

/** Requires different ports, and keeps those of the node's RPC from being opened to everybody as a port for peers. */
function findPortFaults({ ssh, node, orchestrator }: Config): Fault[] {
  const ports = Object.entries({
    "ssh.port": ssh.port,
    "node.rpcPort": node.rpcPort,
    "node.wsPort": node.wsPort,
    "node.p2pPort": node.p2pPort,
    "orchestrator.rpcPort": orchestrator.rpcPort,
    "orchestrator.p2pPort": orchestrator.p2pPort,
  });
  return ports.flatMap(([key, port], at): Fault[] => {
    const twin = ports.slice(0, at).find((other) => other[1] === port);
    if (twin) return [[key, `is ${port}, the port of ${twin[0]}: needed a port of its own`]];
    if (!key.endsWith(".p2pPort") || !nodeRpcPorts.includes(port)) return [];
    return [[key, `is ${port}, a port of the node's RPC, and would be open to everybody: needed another`]];
  });
}

/** The ports of a node's RPC unless config.json says otherwise. */
const nodeRpcPorts = [35997, 35998];

/**
 * Checks the witnesses of the chain: an active stack and the upgrade of a node need one, and none counts twice or is the
 * host itself.
 */
function findWitnessFaults({ lifecycle, host, node, sync, oldHost }: Config): Fault[] {
  const { references, unverifiedChain } = sync;
  // This check also runs on malformed addresses.
  const places = references.map((url) => (URL.canParse(url) ? parseHostPort(url) : { host: url, port: "" }));
  const own = host.provider === "existing" ? normalizeHost(host.address) : undefined;
  return collect([
    ...places.map(({ host: name, port }, at): Fault | false => {
      const isTwin = places.findIndex((other) => other.host === name && other.port === port) < at;
      const key = `sync.references.${at}`;
      if (isTwin) return [key, "is the node of another reference: needed independent nodes"];
      return name === own && [key, "is this stack's own host: needed a node that is independent of it"];
    }),
    (lifecycle === "active" || (lifecycle === "adopted" && node.release !== undefined)) &&
      references.length === 0 &&
      (oldHost ?? unverifiedChain) === undefined && [
        "sync.references",
        "needed a witness of the chain: an independent node's RPC here, or the old host (oldHost: address and hostKey). A fresh momentum does not prove which chain a node is on; docs/sync.md, Witnesses of the chain, says how to find nodes, and what sync.unverifiedChain: acknowledged risks",
      ],
    sync.from === "oldHost" &&
      oldHost === undefined && ["oldHost", "needed with sync.from: oldHost: the host whose chain is copied"],
  ]);
}

/** Refuses the stack's own host, under whatever name, where another host is needed. */
function findOtherHostFaults({ host, oldHost, retirement }: Config): Fault[] {
  const own = { address: "address" in host ? host.address : undefined, hostKey: host.hostKey };
  const others = { oldHost, "retirement.successor": retirement.successor };
  return Object.entries(others).flatMap(([block, other]): Fault[] =>
    other !== undefined && isSameMachine(own, other)
      ? [[block, "is this stack's own host, by its address or hostKey: needed another host"]]
      : [],
  );
}

function findOrchestratorFaults({ node, oldHost, orchestrator }: Config): Fault[] {
  const { move, service } = orchestrator;
  const isNodes = (name: string, nodes: string) => name.replace(/\.service$/, "") === nodes.replace(/\.service$/, "");
  const refusal = "is the node's service: needed the orchestrator's, because a move stops and masks it";
  const name = oldHost?.orchestrator.service;
  // Would count for a later move if it were left.
  const left = move ? [] : moveKeys.filter((key) => orchestrator[key]);
  return collect([
    isNodes(service, node.service) && ["orchestrator.service", refusal],
    // Compares both services of the old host, too, if one of them is configured.
    (name ?? oldHost?.service) !== undefined &&
      isNodes(name ?? service, oldHost?.service ?? node.service) && ["oldHost.orchestrator.service", refusal],
    move &&
      oldHost === undefined && ["oldHost", "needed with orchestrator.move: the host that the orchestrator comes from"],
    ...left.map((key): Fault => [`orchestrator.${key}`, "is for a move: remove it, or set orchestrator.move: true"]),
  ]);
}
