/** One rule of a cloud's firewall, inbound; what no rule lets in is dropped, and everything may go out. */
export interface InboundRule {
  readonly protocol: "tcp" | "udp" | "icmp";
  /** `22` or `8000-8010`; absent for icmp. */
  readonly ports?: string;
  /** Networks as CIDR, both families. */
  readonly sources: readonly string[];
}

/** What a cloud orders. */
export interface MachineOrder {
  /** Unique in the lab: letters and digits. */
  readonly id: string;
  /** The host name that the operator gave the server. */
  readonly name: string;
  /** The image's name at the provider, such as `debian-11`; the lab boots its own Debian 11 for each of them. */
  readonly image: string;
  /** cloud-init's user data, as the provider got it; empty where none was given. */
  readonly userData: string;
  /** authorized_keys lines for root. */
  readonly sshKeys: readonly string[];
  /** undefined: no firewall. */
  readonly firewall?: readonly InboundRule[] | undefined;
}

/**
 * Where a cloud's servers stand: real lab hosts. What is asked of one machine happens in turn, behind its first boot;
 * firewall and removal do not wait for that, nor does a power cut, which forestalls it: so a machine never boots.
 */
export interface MachineRoom {
  /** Takes an address at once; the machine boots in the background. */
  order(order: MachineOrder): Promise<{ readonly address: string }>;
  powerOn(id: string): Promise<void>;
  /** `hard` pulls the plug, else an orderly shutdown. */
  powerOff(id: string, hard: boolean): Promise<void>;
  reboot(id: string, hard: boolean): Promise<void>;
  /** Replaces the rules of a machine; undefined takes the firewall away. */
  setFirewall(id: string, rules: readonly InboundRule[] | undefined): Promise<void>;
  isRunning(id: string): Promise<boolean>;
  /** Ends it and removes every trace. Nothing happens where there is none. */
  remove(id: string): Promise<void>;
}
