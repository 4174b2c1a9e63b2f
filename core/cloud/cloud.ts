import type { Offer } from "./plan";

/** A server as the provider shows it now. */
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
  /** Why its creation failed, where it did. */
  readonly failure?: string | undefined;
}

/** What a stack owns, by its labels. */
export interface Owner {
  readonly stack: string;
  readonly pillar: string;
}

/** What of a stack is at the provider already. */
export interface CloudInventory {
  readonly servers: readonly ServerNow[];
  readonly firewall?: string | undefined;
  readonly sshKey?: string | undefined;
  /** The same public key, brought there by somebody else: it can't be had twice. */
  readonly foreignKey?: string | undefined;
  /** DigitalOcean's tag of this stack. */
  readonly tag?: string | undefined;
}

/** What a failed order means. */
export type OrderFailure =
  /** The provider has no room for this plan in this location now. */
  | "noRoom"
  /** The account or project may have no more of it. */
  | "quota"
  /** The token may not order it. */
  | "rights"
  | "other";

/** What the program reads of a cloud provider before it registers anything. All of it throws CloudError. */
export interface Cloud {
  readonly provider: string;
  /** Every plan in every location, with what a month costs with all that this stack needs. */
  offers(withBackups: boolean): Promise<Offer[]>;
  /** The images of distributions for x86 machines that are offered now, named as pillar-host:host.image. */
  images(): Promise<string[]>;
  found(owner: Owner, publicKey: string | undefined): Promise<CloudInventory>;
  /** undefined: there is none. */
  server(id: string): Promise<ServerNow | undefined>;
  /**
   * Refuses a token that can only read, and an account that may have no more servers where the API tells it, without making
   * anything.
   *
   * @param leaving how many of the servers that are there go before another is made
   */
  checkRights(leaving: number): Promise<void>;
  /** What these words of the provider, in an order's error, mean (pure). */
  failureOf(words: string): OrderFailure;
  /** Where an operator asks for more servers, in words. */
  readonly limits: string;
  /** Where an operator sees a server's screen, in words. */
  consoleOf(id: string): string;
  /** Frees the name of a server that was never made to its end, where the provider takes a name once only. */
  makeRoom(id: string): Promise<void>;
  /** Removes a server that was never made to its end. */
  remove(id: string): Promise<void>;
}

/** A label's value: letters, digits, dot, dash and underscore, 63 at most, a letter or digit at both ends (pure). */
export function labelValue(text: string): string {
  return text
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .slice(0, 63)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
}

/** The name of everything that a stack makes, fit for a host name (pure). */
export function resourceName({ stack, pillar }: Owner): string {
  return `pillar-${pillar}-${stack}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/-+$/, "");
}
