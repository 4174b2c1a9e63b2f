import { mkdir, readFile, writeFile } from "node:fs/promises";
import { execa } from "execa";

/**
 * The lab's network: one namespace with a bridge for the operator (where the engine, the release server, and the chain
 * double run), and one namespace for each host, connected to the bridge. These namespaces are invisible from outside,
 * so all labs use the same addresses without a conflict.
 */

/** Address of the operator's end: of the engine, the release server, the chain double, and the apt relay. */
export const operatorAddress = "10.77.0.1";
export const chainPort = 8000;
export const aptPort = 3142;
/** Port of the double of Vault, which decrypts the stacks' data keys. */
export const vaultPort = 8200;
/** HTTP and HTTPS ports of the release server. */
export const releasePorts = [80, 443] as const;
export const cloudPorts = { hetzner: 8081, digitalocean: 8082 } as const;
/** Host name of the release server. The TLS certificate has this name. */
export const releaseHost = "releases.pillar-lab.test";

/** Returns the address of host n. Counts from 0; the clouds' servers start at {@link firstServer}. */
export function hostAddress(n: number): string {
  return `10.77.0.${11 + n}`;
}

/** Returns the address of reference n at the operator's end. Counts from 0. */
export function referenceAddress(n: number): string {
  return `10.77.0.${101 + n}`;
}

/** First number of a server. Other processes order servers, so their numbers are separate from the hosts'. */
export const firstServer = 100;
export const lastServer = 243;

export function operatorNamespace(lab: string): string {
  return `pillar-${lab}`;
}

/** Returns the folder of files that `ip netns exec` shows in /etc of the operator's machine. */
export const operatorFiles = (lab: string) => `/etc/netns/${operatorNamespace(lab)}`;

/** Names the release server at the operator's machine, as at each host. */
export async function writeOperatorHosts(lab: string): Promise<void> {
  await mkdir(operatorFiles(lab), { recursive: true });
  const hosts = `${await readFile("/etc/hosts", "utf8")}\n${operatorAddress} ${releaseHost}\n`;
  await writeFile(`${operatorFiles(lab)}/hosts`, hosts);
}

export function hostNamespace(lab: string, host: string): string {
  return `pillar-${lab}-${host}`;
}

export type IpCommand = readonly string[];

/** Returns the commands that remove a host's network at once. Deleting only the namespace would take effect later. */
export function removeHostNetwork(lab: string, host: string, n: number): IpCommand[] {
  return [
    ["-n", operatorNamespace(lab), "link", "del", `veth${n}`],
    ["netns", "del", hostNamespace(lab, host)],
  ];
}

/** Returns the command that plugs or unplugs a host's cable at the bridge. */
export function plugHost(lab: string, n: number, plugged: boolean): IpCommand {
  return ["-n", operatorNamespace(lab), "link", "set", `veth${n}`, plugged ? "up" : "down"];
}

/** Locally administered MAC address. */
const bridgeAddress = "02:00:0a:4d:00:01";

/** Returns the commands that create the operator's namespace with its bridge. */
export function createOperatorNetwork(lab: string): IpCommand[] {
  const ns = operatorNamespace(lab);
  return [
    ["netns", "add", ns],
    ["-n", ns, "link", "set", "lo", "up"],
    // A bridge without its own address takes that of one of its cables. If that host went away, all others would lose
    // the operator's end for some seconds.
    ["-n", ns, "link", "add", "br0", "address", bridgeAddress, "type", "bridge"],
    ["-n", ns, "addr", "add", `${operatorAddress}/24`, "dev", "br0"],
    ["-n", ns, "link", "set", "br0", "up"],
  ];
}

/**
 * Returns the commands that create a host's namespace and connect it to the bridge. Both ends of the cable are created
 * inside the lab's namespaces, never in the machine's.
 */
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

/** Returns the commands that give the operator's end another address, for a node that is not on a host. */
export function addOperatorAddress(lab: string, address: string): IpCommand[] {
  return [["-n", operatorNamespace(lab), "addr", "add", `${address}/24`, "dev", "br0"]];
}

/** Runs the network's commands one after another. */
export async function ip(commands: readonly IpCommand[]): Promise<void> {
  for (const command of commands) await execa("ip", [...command]);
}
