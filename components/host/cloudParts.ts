import type * as pulumi from "@pulumi/pulumi";
import type { Cloud, CloudConfig } from "../../core/cloud/cloud";
import type { ServerDecision } from "../../core/cloud/decideServer";
import type { Opening } from "../../core/cloud/firewall";
import type { OrderRecord, OrderRecords } from "../../core/cloud/orderRecord";

/** A run's decision about its server at a cloud provider, and all that it was decided on. */
export interface CloudRun<Plan = Exclude<ServerDecision, { kind: "gone" }>> {
  readonly config: CloudConfig;
  readonly cloud: Cloud;
  readonly orders: OrderRecords;
  /** The record of orders, as read at the start of the run. */
  readonly record: OrderRecord;
  readonly plan: Plan;
}

export interface ServerArgs {
  readonly name: string;
  readonly plan: string;
  readonly location: string;
  readonly image: string;
  /** Ids at the provider. */
  readonly sshKeys: pulumi.Input<string>[];
  readonly firewall?: pulumi.Input<string>;
  /** Secret. Absent for an existing server, which has its own user data. */
  readonly userData?: pulumi.Input<string> | undefined;
  readonly backups: boolean;
}

type Options = pulumi.CustomResourceOptions;

export type CloudServerResource = pulumi.CustomResource & { readonly ipv4Address: pulumi.Output<string> };

export interface CloudParts {
  /** A server's inputs, by the plugin's names, whose changes must not reach a live one. `*` are all. */
  readonly fixedInputs: string[];
  sshKey(publicKey: string, options: Options): pulumi.CustomResource;
  firewall(openings: readonly Opening[], options: Options): pulumi.CustomResource;
  server(name: string, args: ServerArgs, options: Options): CloudServerResource;
}
