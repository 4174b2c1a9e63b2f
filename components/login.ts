import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../core/config/config";
import { proxyOf } from "../core/settings/login";
import type { HostAccess } from "./remote";
import { unprovedSteps } from "./unproved";

/** The login of pillar-host:ssh, secrets marked as such. */
export function loginOf(config: StackConfig): Omit<HostAccess, "address" | "hostKey"> {
  const { ssh, stack } = config;
  const proxy = proxyOf(ssh);
  return {
    stack,
    port: ssh.port,
    user: ssh.user,
    agent: ssh.agent,
    unproved: unprovedSteps(config),
    ...(ssh.privateKey === undefined ? {} : { privateKey: pulumi.secret(ssh.privateKey) }),
    ...(ssh.privateKeyPassword === undefined ? {} : { privateKeyPassword: pulumi.secret(ssh.privateKeyPassword) }),
    ...(ssh.password === undefined ? {} : { password: pulumi.secret(ssh.password) }),
    ...(proxy === undefined ? {} : { proxy: pulumi.secret(proxy) }),
    ...(ssh.sudoPassword === undefined ? {} : { sudoPassword: pulumi.secret(ssh.sudoPassword) }),
  };
}
