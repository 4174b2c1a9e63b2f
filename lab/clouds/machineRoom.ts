/** Inbound rule of a cloud's firewall. Everything without a matching rule is dropped. Outbound traffic is free. */
export interface InboundRule {
  readonly protocol: "tcp" | "udp";
  /** `22` or `8000-8010`. */
  readonly ports: string;
  /** Networks in CIDR form, IPv4 or IPv6. */
  readonly sources: readonly string[];
}

/** A cloud's order of a machine. */
export interface MachineOrder {
  /** Unique in the lab. Consists of letters and digits. */
  readonly id: string;
  /** Host name that the operator gave the server. */
  readonly name: string;
  /** Name of the provider's image, such as `debian-11`. The lab boots its own Debian 11 for all of them. */
  readonly image: string;
  /** Unchanged user data for cloud-init. Empty if there is none. */
  readonly userData: string;
  /** Lines of root's authorized_keys. */
  readonly sshKeys: readonly string[];
  /** Undefined means no firewall. */
  readonly firewall?: readonly InboundRule[] | undefined;
}

/**
 * Real lab hosts that serve as a cloud's servers. Requests for one machine run in order and wait for its first boot.
 * Firewall changes and removal do not wait. A power cut before the first boot does not wait either: it cancels the
 * boot.
 */
export interface MachineRoom {
  /** Assigns an address at once. The machine boots in the background. */
  order(order: MachineOrder): Promise<{ readonly address: string }>;
  /** Pulls the plug. */
  powerOff(id: string): Promise<void>;
  /** Replaces the rules of a machine. Undefined removes the firewall. */
  setFirewall(id: string, rules: readonly InboundRule[] | undefined): Promise<void>;
  isRunning(id: string): Promise<boolean>;
  /** Ends the machine and removes every trace of it. Does nothing if it does not exist. */
  remove(id: string): Promise<void>;
}
