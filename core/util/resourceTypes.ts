/** The dynamic resources. Each is a class in providers/. */
const dynamic = [
  ...(["ChainCopy", "FirstContact", "HostKey", "HostSetUp", "HourlyRestartOff", "NodeShutdown"] as const),
  ...(["NodeUpgrade", "OrchestratorBackup", "OrchestratorMove", "RetirementGuard", "ServerOrder", "SyncGate"] as const),
];

export type DynamicType = (typeof dynamic)[number];

/** Returns the name of a dynamic resource's code. The state has the name alone; the code is in the checkout. */
export const formatProviderName = (type: DynamicType): string => `pillar-host:${type}`;

/** Returns a dynamic resource's type, as the engine knows it. */
export const formatDynamicType = (type: DynamicType): string => `pulumi-nodejs:dynamic/${formatProviderName(type)}`;

/** The names of code in the state of this program, by the type of the resource. */
export const providerNames: ReadonlyMap<string, string> = new Map(
  dynamic.map((type) => [formatDynamicType(type), formatProviderName(type)]),
);

/** All other types that this program makes. */
export const otherTypes: ReadonlySet<string> = new Set([
  ...["pulumi:pulumi:Stack", "pulumi:pulumi:StackReference"],
  ...["pulumi", "pulumi-nodejs", "command", "hcloud", "digitalocean"].map((name) => `pulumi:providers:${name}`),
  ...["host:AdoptedServer", "host:CloudHost", "host:ExistingHost"].map((name) => `pillar-host:${name}`),
  ...["node:PillarNode", "orchestrator:Orchestrator", "retirement:HostRetirement"].map((name) => `pillar-host:${name}`),
  "command:remote:Command",
  ...["firewall:Firewall", "server:Server", "sshKey:SshKey"].map((name) => `hcloud:index/${name}`),
  ...["droplet:Droplet", "firewall:Firewall", "sshKey:SshKey", "tag:Tag"].map((name) => `digitalocean:index/${name}`),
]);
