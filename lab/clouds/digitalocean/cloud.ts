import type { MachineRoom } from "../machineRoom";
import { type Image, images, type Region, regions, type Size, sizes } from "./catalog";
import { Faults } from "./faults";
import { Ids } from "./ids";

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
  /** The same seed gives the same identifiers. */
  readonly seed?: number;
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
  size: string;
  disk: number;
  readonly region: string;
  readonly image: Image;
  readonly created_at: string;
  readonly features: Set<string>;
  readonly tags: Set<string>;
  readonly vpc_uuid: string;
  readonly privateAddress: string;
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

/** A rule as the API has it; `sources` in, `destinations` out. */
export interface Rule {
  protocol: "tcp" | "udp" | "icmp";
  ports: string;
  action: string;
  sources?: Peers;
  destinations?: Peers;
}

/** Who a rule is about. */
export interface Peers {
  addresses?: string[] | undefined;
  tags?: string[] | undefined;
  droplet_ids?: number[] | undefined;
  load_balancer_uids?: string[] | undefined;
  kubernetes_ids?: string[] | undefined;
}

/** A cloud firewall. */
export interface Firewall {
  readonly id: string;
  readonly created_at: string;
  name: string;
  inbound_rules: Rule[];
  outbound_rules: Rule[];
  droplet_ids: number[];
  tags: string[];
  pending_changes: { droplet_id: number; removing: boolean; status: "waiting" }[];
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
  readonly regions: Region[] = structuredClone([...regions]);
  readonly sizes: Size[] = structuredClone([...sizes]);
  images: Image[] = structuredClone([...images]);
  readonly keys = new Map<number, Key>();
  readonly droplets = new Map<number, Droplet>();
  readonly actions = new Map<number, Action>();
  readonly firewalls = new Map<string, Firewall>();
  /** By the name in lower case: names differ in more than case. */
  readonly tags = new Map<string, string>();
  readonly vpcs = new Map<string, string>();
  readonly faults = new Faults(() => this.now());
  readonly requests: SeenRequest[] = [];
  readonly ids: Ids;
  readonly room: MachineRoom;
  readonly tokens: ReadonlyMap<string, "write" | "read">;
  readonly account: { droplet_limit: number; uuid: string; status: string; status_message: string; project: string };
  timings: Timings;
  readonly #clock: () => number;

  constructor(options: Options) {
    this.room = options.room;
    this.tokens = new Map(Object.entries(options.tokens));
    this.ids = new Ids(options.seed ?? 1);
    this.timings = { ...DEFAULT_TIMINGS, ...options.timings };
    this.#clock = options.now ?? Date.now;
    const [uuid, project] = [this.ids.uuid(), this.ids.uuid()];
    this.account = { droplet_limit: 10, uuid, status: "active", status_message: "", project };
  }

  now(): number {
    return this.#clock();
  }

  /** A time as the API writes it. */
  timestamp(): string {
    return new Date(this.now()).toISOString().replace(/\.\d+Z$/, "Z");
  }

  /** The default network of a region. */
  vpc(region: string): string {
    const known = this.vpcs.get(region) ?? this.ids.uuid();
    this.vpcs.set(region, known);
    return known;
  }

  /** Notes a tag and gives the name under which it is known. */
  tag(name: string): string {
    const known = this.tags.get(name.toLowerCase()) ?? name;
    this.tags.set(name.toLowerCase(), known);
    return known;
  }
}
