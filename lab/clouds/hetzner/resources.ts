import { z } from "zod";
import type { Labels } from "./listing";
import type { Image, Plan } from "./offers";

/** A public key, as the API answers it. */
export interface SshKey {
  readonly id: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly public_key: string;
  readonly labels: Labels;
}

/** A server of the project. */
export interface Server {
  readonly id: number;
  /** The location. */
  readonly place: string;
  address: string | undefined;
  readonly image: Image;
  /** Its name in the machine room. */
  readonly machine: string;
  name: string;
  labels: Labels;
  status: "initializing" | "starting" | "running" | "stopping" | "off" | "deleting";
  readonly plan: Plan;
  protection: { readonly delete: boolean; readonly rebuild: boolean };
  backupWindow: string | null;
  /** Whether it was seen up since it was switched on last: only then is a silent machine one that went off. */
  seenUp: boolean;
  /** There is no machine, or none that lives: what the API says is all there is. */
  dead: boolean;
}

/** What a firewall is applied to. */
export const targetSchema = z.object({ type: z.literal("server"), server: z.object({ id: z.int() }) });
export type Target = z.infer<typeof targetSchema>;

/** The rules of a firewall, as the API takes them; those for the way out are kept and not carried out. */
export const rulesSchema = z
  .array(
    z.object({
      direction: z.enum(["in", "out"]),
      protocol: z.enum(["tcp", "udp", "icmp"]),
      port: z.string().nullish(),
      source_ips: z.array(z.string()).default([]),
      destination_ips: z.array(z.string()).default([]),
    }),
  )
  .default([]);

/** A set of rules and what it is applied to. */
export interface Firewall {
  readonly id: number;
  name: string;
  labels: Labels;
  rules: z.infer<typeof rulesSchema>;
  appliedTo: readonly Target[];
}
