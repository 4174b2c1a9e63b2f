/**
 * The lab's network: one namespace for the operator (where the engine, the release server and the chain run) with a
 * bridge in it, and one namespace for each host, tied to the bridge. Nothing of it is visible outside these
 * namespaces, so every lab uses the same addresses and labs don't meet.
 */

/** The operator's end: the engine's address, and that of the release server, the chain double and the apt relay. */
export const operatorAddress = "10.77.0.1";
export const chainPort = 8000;
export const aptPort = 3142;
/** The port of the double of Vault, which opens the stacks' data keys. */
export const vaultPort = 8200;
/** Of the release server: http and https. */
export const releasePorts = [80, 443] as const;
/** Where the clouds' APIs are. */
export const cloudPorts = { hetzner: 8081, digitalocean: 8082 } as const;
/** What hosts call the release server: the TLS certificate is for this name. */
export const releaseHost = "releases.pillar-lab.test";

/** The address of the n-th host (n from 0; the clouds' servers have the numbers from {@link firstServer}). */
export function hostAddress(n: number): string {
  return `10.77.0.${11 + n}`;
}

/** The address of the n-th reference (n from 0), at the operator's end. */
export function referenceAddress(n: number): string {
  return `10.77.0.${101 + n}`;
}

/** So that servers, which other processes order, never take the number of a host. */
export const firstServer = 100;
export const lastServer = 243;

export function operatorNamespace(lab: string): string {
  return `pillar-${lab}`;
}

export function hostNamespace(lab: string, host: string): string {
  return `pillar-${lab}-${host}`;
}

/** An argv of `ip`. */
export type IpCommand = readonly string[];

/** Takes a host's end of the network away at once; its namespace alone would go some time later. */
export function removeHostNetwork(lab: string, host: string, n: number): IpCommand[] {
  return [
    ["-n", operatorNamespace(lab), "link", "del", `veth${n}`],
    ["netns", "del", hostNamespace(lab, host)],
  ];
}

/** Puts a host's cable into the bridge's end, or pulls it. */
export function plugHost(lab: string, n: number, plugged: boolean): IpCommand {
  return ["-n", operatorNamespace(lab), "link", "set", `veth${n}`, plugged ? "up" : "down"];
}

/** In a range for whoever administers a network. */
const bridgeAddress = "02:00:0a:4d:00:01";

/** Makes the operator's namespace with its bridge. */
export function createOperatorNetwork(lab: string): IpCommand[] {
  const ns = operatorNamespace(lab);
  return [
    ["netns", "add", ns],
    ["-n", ns, "link", "set", "lo", "up"],
    // Its own, or it takes that of one of its cables: with that host gone, all others would lose the operator's end for
    // some seconds.
    ["-n", ns, "link", "add", "br0", "address", bridgeAddress, "type", "bridge"],
    ["-n", ns, "addr", "add", `${operatorAddress}/24`, "dev", "br0"],
    ["-n", ns, "link", "set", "br0", "up"],
  ];
}

/** Makes a host's namespace and ties it to the bridge: both ends are born inside, none passes through the machine's. */
export function createHostNetwork(lab: string, host: string, n: number): IpCommand[] {
  const operator = operatorNamespace(lab);
  const ns = hostNamespace(lab, host);
  return [
    ["netns", "add", ns],
    ["-n", operator, "link", "add", `veth${n}`, "type", "veth", "peer", "name", "host0", "netns", ns],
    ["-n", operator, "link", "set", `veth${n}`, "master", "br0", "up"],
    ["-n", ns, "addr", "add", `${hostAddress(n)}/24`, "dev", "host0"],
    ["-n", ns, "link", "set", "host0", "up"],
    ["-n", ns, "link", "set", "lo", "up"],
    ["-n", ns, "route", "add", "default", "via", operatorAddress],
  ];
}

/** Gives the operator's end one more address, for a node that is no host. */
export function addOperatorAddress(lab: string, address: string): IpCommand[] {
  return [["-n", operatorNamespace(lab), "addr", "add", `${address}/24`, "dev", "br0"]];
}
