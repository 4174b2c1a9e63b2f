import type { MachineRoom } from "../machineRoom";
import type { Image } from "./catalog";
import { Faults } from "./faults";

/** Milliseconds that asynchronous work takes. */
export interface Timings {
  readonly create: number;
  readonly action: number;
  readonly delete: number;
}

/** Choices of whoever runs the double. */
export interface Options {
  readonly room: MachineRoom;
  /** `read` may only look. */
  readonly tokens: Readonly<Record<string, "write" | "read">>;
  /** Milliseconds; default: the machine's clock. */
  readonly now?: () => number;
  readonly timings?: Partial<Timings>;
}

/** An ssh key of the account. */
export interface Key {
  readonly id: number;
  name: string;
  readonly fingerprint: string;
  readonly public_key: string;
}

/** When the provider makes its backups. */
export interface BackupPolicy {
  plan: "daily" | "weekly";
  weekday?: string | undefined;
  hour?: number | undefined;
}

/** A Droplet and what the API does not tell of it. */
export interface Droplet {
  readonly id: number;
  /** The machine's name in the machine room. */
  readonly machine: string;
  name: string;
  status: "new" | "active" | "off";
  readonly size: string;
  readonly region: string;
  readonly image: Image;
  readonly created_at: string;
  readonly features: Set<string>;
  readonly tags: Set<string>;
  backupPolicy: BackupPolicy | undefined;
  address: string | undefined;
  /** The addresses are not told before this. */
  addressAt: number;
  /** Its machine stays dead whatever is done. */
  readonly dead: boolean;
  /** The rules that its machine has now, as JSON. */
  rules: string | undefined;
  gone: boolean;
}

/** Work that goes on after its request was answered. */
export interface Action {
  readonly id: number;
  status: "in-progress" | "completed" | "errored";
  readonly type: string;
  readonly started_at: string;
  completed_at: string | null;
  readonly droplet: Droplet;
  due: number;
  /** Whether it may end now. */
  readonly ready?: (() => Promise<boolean>) | undefined;
  readonly effect: () => void | Promise<void>;
}

/** A rule as the API has it. */
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

/** A request that came in; never its token. */
export interface SeenRequest {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** 0: the connection was cut. */
  status: number;
}

const DEFAULT_TIMINGS: Timings = { create: 8_000, action: 3_000, delete: 2_000 };

/** All that one account of DigitalOcean has, and what its provider knows. */
export class Cloud {
  readonly keys = new Map<number, Key>();
  readonly droplets = new Map<number, Droplet>();
  readonly actions = new Map<number, Action>();
  readonly firewalls = new Map<string, Firewall>();
  /** By the name in lower case: names differ in more than case. */
  readonly tags = new Map<string, string>();
  readonly faults = new Faults();
  readonly requests: SeenRequest[] = [];
  readonly room: MachineRoom;
  readonly tokens: ReadonlyMap<string, "write" | "read">;
  readonly timings: Timings;
  #lastId = 530_000_000;
  readonly #clock: () => number;

  constructor(options: Options) {
    this.room = options.room;
    this.tokens = new Map(Object.entries(options.tokens));
    this.timings = { ...DEFAULT_TIMINGS, ...options.timings };
    this.#clock = options.now ?? Date.now;
  }

  newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  now(): number {
    return this.#clock();
  }

  /** A time as the API writes it. */
  timestamp(): string {
    return new Date(this.now()).toISOString().replace(/\.\d+Z$/, "Z");
  }

  /** Notes a tag and gives the name under which it is known. */
  tag(name: string): string {
    const known = this.tags.get(name.toLowerCase()) ?? name;
    this.tags.set(name.toLowerCase(), known);
    return known;
  }
}
