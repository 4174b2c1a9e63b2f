import { createHash } from "node:crypto";
import { ApiError, noContent, notFound, type Route } from "./api.ts";
import { Faults } from "./faults.ts";
import type { InboundRule, MachineRoom } from "./machineRoom.ts";
import { Turns } from "./room/turns.ts";

/** A public key. The API accepts each only once. */
export interface Key {
  readonly id: number;
  readonly name: string;
  readonly publicKey: string;
  readonly labels: Labels;
  readonly created: string;
}

export type Labels = Readonly<Record<string, string>>;

export interface Firewall {
  readonly id: number;
  name: string;
  readonly labels: Labels;
  readonly created: string;
  /** Rules in the API's form. */
  apiRules: object;
  rules: readonly InboundRule[];
  /** Returns true if the firewall protects a server. */
  appliesTo: (server: Server) => boolean;
}

export interface Server {
  readonly id: number;
  /** Name in the machine room. */
  readonly machine: string;
  name: string;
  readonly plan: string;
  readonly location: string;
  readonly image: string;
  readonly labels: Labels;
  readonly created: string;
  backups: "daily" | "weekly" | undefined;
  status: "new" | "running" | "off";
  address: string | undefined;
  isProtected: boolean;
  /** True if there is no working machine. The server exists only in the API then. */
  isDead: boolean;
  /** True while the server is deleted. */
  isLeaving: boolean;
}

/** Work that continues after the answer to its request. */
export interface Action {
  readonly id: number;
  readonly command: string;
  readonly server: Server | undefined;
  readonly started: string;
  finished: string | null;
  status: "running" | "success" | "error";
}

interface Course {
  /** Returns true if the action may end now. */
  readonly isReady?: () => Promise<boolean>;
  /** True if the action fails. */
  readonly isFailing?: boolean;
  /** Applies the changes after the action succeeded. */
  readonly onSuccess?: () => void;
}

export interface AccountOptions {
  readonly room: MachineRoom;
  /** `read` tokens cannot change anything. */
  readonly tokens: Readonly<Record<string, "write" | "read">>;
  /** Minimum duration of an action in milliseconds (default 200). */
  readonly actionMs?: number;
}

/** Returns this second, as both APIs write a time. */
export const writeNow = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

/** Actions also end between requests, as they do at the provider. */
const settleIntervalMs = 200;

/** A customer's account at a cloud: what both clouds have in common. */
export class Account {
  readonly servers = new Map<number, Server>();
  readonly keys = new Map<number, Key>();
  readonly firewalls = new Map<number, Firewall>();
  readonly tags = new Set<string>();
  readonly faults = new Faults();
  readonly room: MachineRoom;
  private readonly running = new Map<Action, Course & { readonly dueAt: number }>();
  private readonly actions: Action[] = [];
  private readonly turns = new Turns();
  /** The rules of each machine, as the machine room has them. */
  private readonly applied = new Map<string, string>();
  private readonly actionMs: number;
  private lastId = 52_000_000;

  /** @param prefix of the names in the machine room, which both clouds of a lab share */
  constructor(
    { room, actionMs = 200 }: AccountOptions,
    private readonly prefix: string,
  ) {
    this.room = room;
    this.actionMs = actionMs;
    setInterval(() => void this.turns.take("", () => this.settle()), settleIntervalMs).unref();
  }

  newId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Removes all faults and resources, with nothing done in the machine room. */
  clear(): void {
    for (const each of [this.servers, this.keys, this.firewalls, this.tags, this.faults, this.running]) each.clear();
  }

  /** Does a request's work. Requests take turns, so that none meets half of another's work. */
  work<T>(handle: () => Promise<T>): Promise<T> {
    return this.turns.take("", async () => {
      await this.settle();
      for (const server of this.servers.values()) await this.look(server);
      const result = await handle();
      await this.applyFirewalls();
      return result;
    });
  }

  private async settle(): Promise<void> {
    for (const [action, course] of this.running) await this.end(action, course);
  }

  start(command: string, server: Server | undefined, course: Course = {}): Action {
    const started = writeNow();
    const action: Action = { id: this.newId(), command, server, started, finished: null, status: "running" };
    this.actions.push(action);
    this.running.set(action, { ...course, dueAt: Date.now() + this.actionMs });
    return action;
  }

  private async end(action: Action, { dueAt, isReady, onSuccess, isFailing }: Course & { dueAt: number }) {
    const isSlow = this.faults.strike("slowAction", { command: action.command }) !== undefined;
    if (isSlow || Date.now() < dueAt || (isReady && !(await isReady()))) return;
    this.running.delete(action);
    action.finished = writeNow();
    action.status = isFailing ? "error" : "success";
    if (isFailing && action.server) action.server.status = "off";
    if (!isFailing) onSuccess?.();
  }

  actionsOf(server: Server | undefined): Action[] {
    return server ? this.actions.filter((action) => action.server === server) : this.actions;
  }

  isBusy(server: Server): boolean {
    return this.actionsOf(server).some(({ status }) => status === "running");
  }

  /** Updates the status of a machine that switched itself off, or was switched on in the console. */
  private async look(server: Server): Promise<void> {
    if (server.isDead || server.status === "new" || this.isBusy(server)) return;
    server.status = (await this.room.isRunning(server.machine)) ? "running" : "off";
  }

  /** Applies the firewalls to every machine, even to one that has not booted. */
  private async applyFirewalls(): Promise<void> {
    for (const server of this.servers.values()) {
      const rules = this.rulesOf(server);
      const isApplied = this.applied.get(server.machine) === JSON.stringify(rules);
      if (server.isLeaving || server.address === undefined || isApplied) continue;
      await this.room.setFirewall(server.machine, rules);
      this.applied.set(server.machine, JSON.stringify(rules));
    }
  }

  /** Returns a server's inbound rules, or undefined if no firewall applies to it. */
  private rulesOf(server: Server): InboundRule[] | undefined {
    const firewalls = [...this.firewalls.values()].filter(({ appliesTo }) => appliesTo(server));
    return firewalls.length === 0 ? undefined : firewalls.flatMap(({ rules }) => rules);
  }

  addKey(name: string, publicKey: string, labels: Labels = {}): Key {
    const bare = (key: string) => key.trim().split(/\s+/).slice(0, 2).join(" ");
    if ([...this.keys.values()].some((key) => bare(key.publicKey) === bare(publicKey)))
      throw new ApiError(409, "uniqueness_error", "SSH key with the same fingerprint already exists");
    const key: Key = { id: this.newId(), name, publicKey: publicKey.trim(), labels, created: writeNow() };
    this.keys.set(key.id, key);
    return key;
  }

  /** Orders a server. Its firewalls protect it from the first moment. */
  async order(
    order: Pick<Server, "name" | "plan" | "location" | "image" | "labels" | "backups">,
    command: string,
    more: { readonly sshKeys: readonly number[]; readonly userData: string; readonly firewalls?: readonly number[] },
  ): Promise<{ server: Server; action: Action }> {
    const id = this.newId();
    const { location } = order;
    const sshKeys = more.sshKeys.map((key) => found(this.keys, key).publicKey);
    const isFull = this.faults.strike("noCapacity", { location, shows: "action" }) !== undefined;
    const isDead = isFull || this.faults.strike("neverBoots") !== undefined;
    const first = { status: "new", address: undefined, isProtected: false, isDead, isLeaving: false } as const;
    const server: Server = { ...order, ...first, id, machine: `${this.prefix}${id}`, created: writeNow() };
    for (const number of more.firewalls ?? []) {
      const firewall = found(this.firewalls, number);
      const { appliesTo } = firewall;
      firewall.appliesTo = (each) => each === server || appliesTo(each);
    }
    this.servers.set(id, server);
    if (!isFull) {
      const firewall = this.rulesOf(server);
      const { name, image } = order;
      const machine = { id: server.machine, name, image, userData: more.userData, sshKeys, firewall };
      server.address = (await this.room.order(machine)).address;
      this.applied.set(server.machine, JSON.stringify(firewall));
      if (isDead) await this.room.powerOff(server.machine);
    }
    const action = this.start(command, server, {
      isFailing: isFull,
      isReady: async () => isDead || (await this.room.isRunning(server.machine)),
      onSuccess: () => void Object.assign(server, { status: "running" }),
    });
    return { server, action };
  }

  powerOff(server: Server, command: string): Action {
    return this.start(command, server, {
      isReady: endOf(server.isDead ? Promise.resolve() : this.room.powerOff(server.machine)),
      onSuccess: () => void Object.assign(server, { status: "off" }),
    });
  }

  remove(server: Server, command: string): Action {
    server.isLeaving = true;
    return this.start(command, server, {
      isReady: endOf(this.room.remove(server.machine)),
      onSuccess: () => void this.servers.delete(server.id),
    });
  }
}

/** Returns a key's fingerprint, as both APIs show it. */
export const fingerprintOf = ({ publicKey }: Key): string => {
  const blob = Buffer.from(publicKey.split(/\s+/)[1] ?? "", "base64");
  return (createHash("md5").update(blob).digest("hex").match(/../g) ?? []).join(":");
};

/** Returns a function that tells whether work in the machine room has ended. */
function endOf(work: Promise<void>): () => Promise<boolean> {
  let isDone = false;
  void work.then(() => {
    isDone = true;
  });
  return async () => isDone;
}

/** Returns a route that deletes the item that its path names by its id. */
export function deletion(all: Map<number, { readonly id: number }>): Route {
  return ({ params }) => {
    all.delete(found(all, params.id).id);
    return noContent;
  };
}

/** Returns the item that a path names by its id, or throws the API's 404. */
export function found<T>(all: ReadonlyMap<number, T>, id: string | number | undefined): T {
  const one = all.get(Number(id));
  if (!one) throw notFound();
  return one;
}
