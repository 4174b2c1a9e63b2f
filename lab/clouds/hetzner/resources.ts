import { z } from "zod";
import type { Labels } from "./listing";
import type { Image, Plan } from "./offers";

/** A public key in the API's form. */
export interface SshKey {
  readonly id: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly public_key: string;
  readonly labels: Labels;
}

export interface Server {
  readonly id: number;
  readonly place: string;
  address: string | undefined;
  readonly image: Image;
  /** Name in the machine room. */
  readonly machine: string;
  name: string;
  labels: Labels;
  status: "initializing" | "starting" | "running" | "stopping" | "off" | "deleting";
  readonly plan: Plan;
  protection: { readonly delete: boolean; readonly rebuild: boolean };
  backupWindow: string | null;
  /**
   * True if the machine was running at some time since it was last switched on. Otherwise a silent machine is still
   * booting, not off.
   */
  seenUp: boolean;
  /** True if there is no working machine. The server exists only in the API then. */
  dead: boolean;
}

/** The server that a firewall applies to. */
export interface Target {
  readonly type: "server";
  readonly server: { readonly id: number };
}

/** Schema of a firewall's rules. Outbound rules are stored but not enforced. */
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

/** A set of rules with the servers that it applies to. */
export interface Firewall {
  readonly id: number;
  name: string;
  labels: Labels;
  rules: z.infer<typeof rulesSchema>;
  appliedTo: readonly Target[];
}
