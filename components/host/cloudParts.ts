import * as pulumi from "@pulumi/pulumi";
import type { Owner, ServerNow } from "../../core/cloud/cloud";
import type { ServerDecision } from "../../core/cloud/decideServer";
import type { Opening } from "../../core/cloud/firewall";
import type { CloudServer } from "../../core/cloud/power";
import type { CloudHostConfig } from "../../core/config/hostSchema";
import type { HostArgs } from "./hostArgs";

interface Named {
  readonly label: string;
  readonly owner: Owner;
}

export interface ServerArgs extends Named {
  readonly plan: string;
  readonly location: string;
  readonly image: string;
  /** Ids at the provider. */
  readonly sshKeys: pulumi.Input<string>[];
  readonly firewall: pulumi.Input<string>;
  /** Secret. Absent for an existing server, which has its own user data. */
  readonly userData?: pulumi.Input<string>;
  readonly backups: boolean;
}

/** Inputs whose changes must not reach the server. */
type KeptParts =
  /** None: the server is the rest of a failed creation, and is replaced. */
  | "nothing"
  /** All inputs whose changes would replace the server or turn it off. */
  | "whole"
  /** All inputs: the server is taken over as it is. */
  | "asItIs";

export interface RegisteredServer {
  readonly resource: pulumi.Resource;
  readonly id: pulumi.Output<string>;
  readonly address: pulumi.Output<string>;
}

type Options = pulumi.CustomResourceOptions;

export interface CloudParts {
  sshKey(name: string, args: Named & { publicKey: string }, options: Options): pulumi.CustomResource;
  firewall(name: string, args: Named & { openings: readonly Opening[] }, options: Options): pulumi.CustomResource;
  server(name: string, args: ServerArgs, options: Options & { kept: KeptParts }): RegisteredServer;
  /** Registers a server that somebody else created, without any change to it. */
  adopted(name: string, args: { server: ServerNow }, options: Options): RegisteredServer;
}

export type KeptPlan = Extract<ServerDecision, { kind: "keep" }>;

/** A server at a provider, whoever made it. */
export interface CloudServerArgs extends HostArgs {
  /** The decision to create a server, or to use an existing one. */
  readonly plan: Exclude<ServerDecision, { kind: "gone" }>;
  readonly wanted: CloudHostConfig;
  /** Returns the provider's resources. `around`: options of the plugin's provider resource, on which all depend. */
  readonly parts: (around?: pulumi.ResourceOptions) => CloudParts;
  /** True if the engine must not delete the server, nor the provider if it supports that. */
  readonly isProtected: boolean;
  /** Access to the provider's power switch. Secret, because it holds the token. */
  readonly server: Omit<CloudServer, "id">;
}

/** Returns the server with the access that the guard needs to switch it off. Secret. */
export function createGuardedServer(
  server: Omit<CloudServer, "id">,
  id: pulumi.Output<string>,
): pulumi.Output<CloudServer> {
  return pulumi.secret(id.apply((serverId) => ({ ...server, id: serverId })));
}

/** In `ignoreChanges`: all inputs. */
export const everything = "*";

/** Returns the inputs whose changes never reach the server. */
export function listIgnoredInputs(names: Readonly<Record<string, string>>, kept: KeptParts): string[] {
  if (kept === "nothing") return [];
  return kept === "asItIs" ? [everything] : Object.values(names);
}
