import { createHash } from "node:crypto";
import type { StackConfig } from "../config/config.ts";
import type { CloudHostConfig } from "../config/hostSchema.ts";
import { stripComment } from "../ssh/publicKey.ts";
import type { Offer } from "./chooseOffer.ts";

export interface ServerNow {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly location: string;
  /** The image's name at the provider; undefined if the provider no longer offers it. */
  readonly image?: string | undefined;
  readonly address?: string | undefined;
  /** The provider's own protection against deletion; undefined if the provider has none. */
  readonly isProtected?: boolean | undefined;
  /** The reason why the server's creation failed, in the provider's words. */
  readonly failure?: string | undefined;
  /** The number of the order that made the server: only the stack that drew it knows it. */
  readonly order?: string | undefined;
}

export type CloudConfig = StackConfig & { readonly host: CloudHostConfig };

export type Owner = Pick<StackConfig, "stack"> & { readonly pillar: { readonly name: string } };

export interface CloudInventory {
  readonly servers: readonly ServerNow[];
  readonly firewall?: string | undefined;
  /** An ssh key with the stack's name or labels, and the configured public half. */
  readonly sshKey?: string | undefined;
  /** A key with the same public half that this stack did not create: the provider stores a key only once. */
  readonly foreignKey?: string | undefined;
  readonly tag?: string | undefined;
}

export interface Cloud {
  readonly provider: string;
  /** Returns all x86 plans in all locations, with the monthly price of all that this stack needs. */
  readOffers(withBackups: boolean): Promise<Offer[]>;
  readImages(): Promise<string[]>;
  /** Finds what carries the owner's labels, and a foreign copy of the public key. */
  readInventory(owner: Owner, publicKey?: string): Promise<CloudInventory>;
  readServer(id: string): Promise<ServerNow | undefined>;
  /** Reads the public half of an ssh key; undefined if there is no such key. */
  readPublicKey(id: string): Promise<string | undefined>;
  /** True if the provider's words say that it has no room for this plan in this location. */
  isNoRoom(words: string): boolean;
  /** Returns the page for a higher limit, if the provider's words say that the account's limit is reached. */
  findLimitPage(words: string): string | undefined;
  describeConsole(id: string): string;
  /** Renames a half-made server, if the provider accepts a name only once: the next order needs the name. */
  makeRoom?(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes what orders' numbers leave at the provider after their servers are gone: tags of DigitalOcean. */
  forgetOrders?(): Promise<void>;
}

/** An order of this stack. The server has the number as label or tag: names and labels alone prove nothing. */
export interface SentOrder {
  readonly number: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Returns the order with a server's number, if it is among these. */
export function findOrder(orders: readonly SentOrder[] = [], number?: string): SentOrder | undefined {
  return orders.find((each) => each.number === number);
}

/** Names a server with a stack's labels, and the order that made it. @param sent this stack's orders */
export function describeServer(server: ServerNow, sent?: readonly SentOrder[]): string {
  const { id, name, address = "no address", order } = server;
  const own = findOrder(sent, order);
  const foreign = order === undefined ? "of no order" : "of an order that is not known here";
  return `${id} ${name}, ${address}, ${own ? `of this stack's order at ${own.at}` : foreign}`;
}

export function formatResourceName({ stack, pillar }: Owner): string {
  return `pillar-${pillar.name}-${stack}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/-+$/, "");
}

/** Returns the name of a stack's ssh key. It names the key itself, because another key's object may stay beside it. */
export function formatKeyName(owner: Owner, publicKey: string): string {
  const hash = createHash("sha256").update(stripComment(publicKey)).digest("hex");
  return `${formatResourceName(owner)}-${hash.slice(0, 8)}`;
}

/** Finds the configured key by its public half. Name and labels alone prove nothing: anybody may give them to a key. */
export function findSshKeys<T extends { readonly id: number; readonly public_key: string }>(
  keys: readonly T[],
  isOurs: (key: T) => boolean,
  publicKey = "",
): Pick<CloudInventory, "sshKey" | "foreignKey"> {
  const same = keys.filter((key) => stripComment(key.public_key) === stripComment(publicKey));
  return { sshKey: formatId(same.find(isOurs)), foreignKey: formatId(same.find((key) => !isOurs(key))) };
}

export function formatId(thing: { readonly id: string | number } | undefined): string | undefined {
  return thing && String(thing.id);
}

export const roundToCents = (amount: number): number => Math.round(amount * 100) / 100;
