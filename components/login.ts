import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../core/config/config";
import { proxyLogin } from "../core/ssh/configuredLogin";
import { loginCheck } from "./loginCheck";
import type { HostAccess } from "./remote";
import { unprovedSteps } from "./unproved";

/** Returns the login of pillar-host:ssh, with its secrets marked. */
export function createLogin(config: StackConfig): Omit<HostAccess, "address" | "hostKey"> {
  const { ssh, stack } = config;
  return {
    stack,
    port: ssh.port,
    user: ssh.user,
    agent: ssh.agent,
    loginCheck: loginCheck(stack),
    unproved: unprovedSteps(config),
    privateKey: markSecret(ssh.privateKey),
    privateKeyPassword: markSecret(ssh.privateKeyPassword),
    password: markSecret(ssh.password),
    proxy: markSecret(proxyLogin(ssh)),
    sudoPassword: markSecret(ssh.sudoPassword),
  };
}

function markSecret<T>(value: T | undefined): pulumi.Output<T> | undefined {
  return value === undefined ? undefined : (pulumi.secret(value) as pulumi.Output<T>);
}
