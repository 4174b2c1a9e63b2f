import { hostText, installed, type ModelHost, signing, wouldBoot } from "./host";

export type HostName = "a" | "b" | "c";
export const hostNames: readonly HostName[] = ["a", "b", "c"];
/** What is promised was not kept. */
export class Broken extends Error {}

export type Hosts = Readonly<Record<HostName, ModelHost>>;

/** All that is. */
export interface World {
  readonly hosts: Hosts;
  /** Of the bridge's key. */
  generation: number;
  /** Of the newest share in a sealed backup. */
  backup: number;
  hasLaptop: boolean;
  /** Something lost a disk, or started or stopped a signer by hand. */
  isHarmed: boolean;
}

export function newWorld(): World {
  const hosts = { a: signing("198.51.100.7"), b: installed("203.0.113.9"), c: installed("192.0.2.4") };
  return { hosts, generation: 1, backup: 0, hasLaptop: true, isHarmed: false };
}

export function copyOf({ hosts: { a, b, c }, ...rest }: World): World {
  return { ...rest, hosts: { a: { ...a }, b: { ...b }, c: { ...c } } };
}

/** Two worlds with one text have one future. */
export function worldText({ hosts, generation, backup, hasLaptop, isHarmed }: World): string {
  return `${hostNames.map((name) => hostText(hosts[name])).join("\n")}\n${generation} ${backup} ${hasLaptop} ${isHarmed}`;
}

/** Whether a signer is at work on a host, or is after its next boot. */
export function isAt(host: ModelHost): boolean {
  return host.running || wouldBoot(host);
}

/** Whether the newest share is on one of the disks, or in a backup. */
export function hasNewest({ hosts, generation, backup }: World): boolean {
  return backup === generation || hostNames.some((name) => holds(hosts[name], generation));
}

export function holds({ directory, staging, kept }: ModelHost, share: number): boolean {
  return [directory, staging, kept].includes(share);
}
