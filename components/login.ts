import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../core/config/config";
import { createProxyLogin } from "../core/ssh/configuredLogin";
import { createLoginCheck } from "./loginCheck";
import type { HostAccess } from "./remote";
import { createUnprovedSteps } from "./unprovedSteps";

/** Returns the login of pillar-host:ssh, with its secrets marked. */
export function createLogin(config: StackConfig): Omit<HostAccess, "address" | "hostKey"> {
  const { ssh, stack } = config;
  return {
    stack,
    port: ssh.port,
    user: ssh.user,
    agent: ssh.agent,
    loginCheck: createLoginCheck(stack),
    unproved: createUnprovedSteps(config),
    privateKey: markSecret(ssh.privateKey),
    privateKeyPassword: markSecret(ssh.privateKeyPassword),
    password: markSecret(ssh.password),
    proxy: markSecret(createProxyLogin(ssh)),
    sudoPassword: markSecret(ssh.sudoPassword),
  };
}

function markSecret<T>(value: T | undefined): pulumi.Output<T> | undefined {
  return value === undefined ? undefined : (pulumi.secret(value) as pulumi.Output<T>);
}
