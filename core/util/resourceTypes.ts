/** The dynamic resources. Each is a class in providers/. */
export const dynamicTypes = [
  "ChainCopy",
  "CopyKey",
  "FirstContact",
  "HostKey",
  "HostSetUp",
  "HourlyRestartOff",
  "NodeShutdown",
  "NodeUpgrade",
  "OrchestratorBackup",
  "OrchestratorMove",
  "RetirementGuard",
  "ServerOrder",
  "SyncGate",
] as const;

export type DynamicType = (typeof dynamicTypes)[number];

/** Returns the name of a dynamic resource's code. The state has the name alone; the code is in the checkout. */
export const formatProviderName = (type: DynamicType): string => `pillar-host:${type}`;

/** Returns a dynamic resource's type, as the engine knows it. */
export const formatDynamicType = (type: DynamicType): string => `pulumi-nodejs:dynamic/${formatProviderName(type)}`;
