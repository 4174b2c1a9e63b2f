/**
 * The dynamic resources, each a class in providers/, with the names by which `pulumi up` shows it. The names are short,
 * because the engine shows the progress of a sync behind them, and cuts a row at the end of the screen.
 */
const dynamic = {
  ChainCopy: "chain:Copy",
  FirstContact: "host:Contact",
  HostKey: "host:Key",
  HostSetUp: "host:SetUp",
  HourlyRestartOff: "node:RestartOff",
  NodeShutdown: "node:Shutdown",
  NodeUpgrade: "node:Upgrade",
  OrchestratorBackup: "orchestrator:Backup",
  OrchestratorMove: "orchestrator:Move",
  RetirementGuard: "host:Guard",
  ServerOrder: "host:Order",
  SyncGate: "sync:Gate",
} as const;

export type DynamicType = keyof typeof dynamic;

/** Returns the name of a dynamic resource's code. The state has the name alone; the code is in the checkout. */
export const formatProviderName = (type: DynamicType): string => `pillar-host:${type}`;

/** Returns a dynamic resource's type, as the engine knows it. */
export const formatDynamicType = (type: DynamicType): string => `pulumi-nodejs:${dynamic[type]}`;

/** Returns the URN of a stack's sync gate (components/node/pillarNode.ts). */
export const formatGateUrn = (stack: string): string =>
  `urn:pulumi:${stack}::pillar-host::pillar-host:node:PillarNode$${formatDynamicType("SyncGate")}::node-sync`;

/** Returns the type that a dynamic resource had in states of older checkouts. */
export const formatOldType = (type: DynamicType): string => `pulumi-nodejs:dynamic/${formatProviderName(type)}`;

/** The names of code in the state of this program, by the type of the resource. */
export const providerNames: ReadonlyMap<string, string> = new Map(
  (Object.keys(dynamic) as DynamicType[]).flatMap((type) =>
    [formatDynamicType(type), formatOldType(type)].map((each) => [each, formatProviderName(type)] as const),
  ),
);

/** All other types that this program makes. */
export const otherTypes: ReadonlySet<string> = new Set([
  ...["pulumi:pulumi:Stack", "pulumi:pulumi:StackReference"],
  ...["pulumi", "pulumi-nodejs", "command", "hcloud", "digitalocean"].map((name) => `pulumi:providers:${name}`),
  ...["host:AdoptedServer", "host:CloudHost", "host:ExistingHost"].map((name) => `pillar-host:${name}`),
  ...["host:Retirement", "node:PillarNode", "orchestrator:Orchestrator"].map((name) => `pillar-host:${name}`),
  // Its type in states of older checkouts.
  "pillar-host:retirement:HostRetirement",
  "command:remote:Command",
  ...["firewall:Firewall", "server:Server", "sshKey:SshKey"].map((name) => `hcloud:index/${name}`),
  ...["droplet:Droplet", "firewall:Firewall", "sshKey:SshKey", "tag:Tag"].map((name) => `digitalocean:index/${name}`),
]);
