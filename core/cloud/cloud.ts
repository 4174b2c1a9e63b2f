import type { Offer } from "./plan";

export interface ServerNow {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly location: string;
  /** Its name at the provider; undefined where the provider does not offer it any more. */
  readonly image?: string | undefined;
  readonly address?: string | undefined;
  readonly monthly?: number | undefined;
  readonly currency?: string | undefined;
  /** The provider's own protection against deletion; undefined where there is none to be had. */
  readonly isProtected?: boolean | undefined;
  readonly failure?: string | undefined;
}

export interface Owner {
  readonly stack: string;
  readonly pillar: string;
}

export interface CloudInventory {
  readonly servers: readonly ServerNow[];
  readonly firewall?: string | undefined;
  readonly sshKey?: string | undefined;
  /** The same public key, brought there by somebody else: it can't be had twice. */
  readonly foreignKey?: string | undefined;
  readonly tag?: string | undefined;
}

export type OrderFailure = "noRoom" | "quota" | "rights" | "other";

export interface Cloud {
  readonly provider: string;
  /** Every plan in every location, with what a month costs with all that this stack needs. */
  offers(withBackups: boolean): Promise<Offer[]>;
  images(): Promise<string[]>;
  found(owner: Owner, publicKey: string | undefined): Promise<CloudInventory>;
  server(id: string): Promise<ServerNow | undefined>;
  /** Refuses a token that can only read, and a full account. Makes nothing. @param leaving servers that go before another is made */
  checkRights(leaving: number): Promise<void>;
  failureOf(words: string): OrderFailure;
  readonly limits: string;
  consoleOf(id: string): string;
  /** Frees the name of a server that was never made to its end, where the provider takes a name once only. */
  makeRoom(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** A label's value: letters, digits, dot, dash and underscore, 63 at most, a letter or digit at both ends (pure). */
export function labelValue(text: string): string {
  return text
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .slice(0, 63)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
}

export function resourceName({ stack, pillar }: Owner): string {
  return `pillar-${pillar}-${stack}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/-+$/, "");
}
