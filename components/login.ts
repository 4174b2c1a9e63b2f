import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../core/config/config.ts";
import { createProxyLogin } from "../core/ssh/configuredLogin.ts";
import { reachDeps, waitForLogin } from "../core/ssh/reachability.ts";
import type { SshTarget } from "../core/ssh/ssh.ts";
import { commandsFor } from "../core/util/commands.ts";
import { info } from "./log.ts";

/** The login to a host, secret. A host with another `hostKey` (as in authorized_keys) is refused. */
export type HostAccess = ReturnType<typeof createLogin> &
  Readonly<Record<"address" | "hostKey", pulumi.Input<string>> & { setUp?: pulumi.Output<string | undefined> }>;

export function createLogin(config: StackConfig) {
  const { port, user, agent, privateKey, privateKeyPassword, password, sudoPassword } = config.ssh;
  const proxy = createProxyLogin(config.ssh);
  return {
    stack: config.stack,
    port,
    user,
    login: pulumi.secret({ port, user, agent, privateKey, privateKeyPassword, password, proxy }),
    sudoPassword: sudoPassword === undefined ? undefined : pulumi.secret(sudoPassword),
    loginCheck: createLoginCheck(config.stack),
  };
}

export type LoginCheck = ReturnType<typeof createLoginCheck>;

/** Checks a host's login before its first step, unless the first contact did: --target can leave the contact out. */
export function createLoginCheck(stack: string, login = reachDeps.login) {
  let checked: Promise<void> | undefined;
  let hasPassed = false;
  return {
    pass: () => {
      checked = Promise.resolve();
      hasPassed = true;
    },
    /** True if the first contact logged in during this run. */
    hasPassed: () => hasPassed,
    /** Logs in, once a run: the command plugin would try a refused login eleven times. @throws Error for the operator */
    check: (target: SshTarget) => {
      checked ??= waitForLogin(target, { ...reachDeps, login, say: (line) => void info(line) }, commandsFor(stack));
      return checked;
    },
  };
}
