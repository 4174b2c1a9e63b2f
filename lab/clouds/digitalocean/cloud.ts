import { Faults } from "../api/faults";
import type { MachineRoom } from "../machineRoom";
import type { Image } from "./catalog";

/** Durations of asynchronous work in milliseconds. */
export interface Timings {
  readonly create: number;
  readonly action: number;
  readonly delete: number;
}

export interface Options {
  readonly room: MachineRoom;
  /** `read` tokens cannot change anything. */
  readonly tokens: Readonly<Record<string, "write" | "read">>;
  readonly timings?: Partial<Timings>;
}

export interface Key {
  readonly id: number;
  name: string;
  readonly fingerprint: string;
  readonly public_key: string;
}

/** Schedule of a Droplet's backups. */
export interface BackupPolicy {
  plan: "daily" | "weekly";
  weekday?: string | undefined;
  hour?: number | undefined;
}

/** A Droplet, with facts that the API does not show. */
export interface Droplet {
  readonly id: number;
  /** Name in the machine room. */
  readonly machine: string;
  name: string;
  status: "new" | "active" | "off";
  readonly size: string;
  readonly region: string;
  readonly image: Image;
  readonly features: Set<string>;
  readonly tags: Set<string>;
  backupPolicy: BackupPolicy | undefined;
  address: string | undefined;
  /** Time before which the API does not show the addresses. */
  addressAt: number;
  /** True if the machine never runs, whatever is done. */
  readonly dead: boolean;
  /** The machine's current rules as JSON. */
  rules: string | undefined;
  gone: boolean;
}

/** Work that continues after the answer to its request. */
export interface Action {
  readonly id: number;
  status: "in-progress" | "completed" | "errored";
  readonly type: string;
  readonly droplet: Droplet;
  due: number;
  /** Returns true if the action may end now. */
  readonly ready?: (() => Promise<boolean>) | undefined;
  readonly effect: () => void | Promise<void>;
}

/** A rule in the API's form. */
export interface Rule {
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly ports: string;
}

/** A cloud firewall, for all Droplets with one of its tags. */
export interface Firewall {
  readonly id: string;
  name: string;
  inbound_rules: (Rule & { readonly sources: { readonly addresses: readonly string[] } })[];
  outbound_rules: (Rule & { readonly destinations: { readonly addresses: readonly string[] } })[];
  tags: string[];
}

const DEFAULT_TIMINGS: Timings = { create: 8_000, action: 3_000, delete: 2_000 };

/** State of one DigitalOcean account, with facts that only the provider knows. */
export class Cloud {
  readonly keys = new Map<number, Key>();
  readonly droplets = new Map<number, Droplet>();
  readonly actions = new Map<number, Action>();
  readonly firewalls = new Map<string, Firewall>();
  /** Tag names by their lower-case form: names that differ only in case are the same tag. */
  readonly tags = new Map<string, string>();
  readonly faults = new Faults();
  readonly room: MachineRoom;
  readonly timings: Timings;
  #lastId = 530_000_000;

  constructor(options: Options) {
    this.room = options.room;
    this.timings = { ...DEFAULT_TIMINGS, ...options.timings };
  }

  newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Adds a tag if it is new, and returns the name with its first spelling. */
  tag(name: string): string {
    const known = this.tags.get(name.toLowerCase()) ?? name;
    this.tags.set(name.toLowerCase(), known);
    return known;
  }
}
