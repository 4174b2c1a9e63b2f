import type { StackConfig } from "../config/config.ts";
import { derivePublicKey } from "./derivePublicKey.ts";
import type { HostLogin } from "./root.ts";
import type { SshTarget } from "./ssh.ts";

/** Returns the login of a stack's host. All logins here are in clear: make them Pulumi secrets in inputs. */
export function createHostTarget({ ssh }: Pick<StackConfig, "ssh">, address: string, hostKey: string): SshTarget {
  return resolveLogin(ssh, { address, hostKey });
}

type Login = { readonly [K in keyof StackConfig["ssh"]]?: StackConfig["ssh"][K] | undefined };

type OtherLogin = Pick<SshTarget, "address" | "hostKey"> & Login;

/** Returns the login `other`, with settings of `usual` where it has none. */
function resolveLogin(usual: Login, other: OtherLogin): SshTarget {
  const hasOwn = other.privateKey !== undefined || other.password !== undefined || other.agent === true;
  const { privateKey, privateKeyPassword, password, agent } = hasOwn ? other : usual;
  const { address, hostKey, port = usual.port ?? 22, user = usual.user ?? "root" } = other;
  const login = { address, port, user, hostKey, privateKey, privateKeyPassword, password, agent };
  const proxy = createProxyLogin(other.proxy ? { ...login, proxy: other.proxy } : usual);
  return proxy ? { ...login, proxy } : login;
}

/** Returns the login of the proxy before a host. The proxy never gets the host's password. */
export function createProxyLogin({ proxy, ...login }: Login): SshTarget | undefined {
  return proxy && resolveLogin({ ...login, port: 22, password: undefined }, proxy);
}

/**
 * Returns another host with its login. Settings that `other` lacks come from pillar-host:ssh. `configured`: the
 * configuration key that errors name.
 */
export function createOtherLogin(
  { ssh, stack }: Pick<StackConfig, "ssh" | "stack">,
  other: OtherLogin,
  configured: string,
): HostLogin {
  const target = resolveLogin(ssh, other);
  // A sudo password belongs to one user: never send it to a host where another user logs in.
  const sudoPassword = other.sudoPassword ?? (target.user === ssh.user ? ssh.sudoPassword : undefined);
  return { stack, ssh: target, sudoPassword, configured };
}

export function deriveConfiguredPublicKey({ ssh }: StackConfig): string | undefined {
  return ssh.privateKey === undefined ? undefined : derivePublicKey(ssh.privateKey, ssh.privateKeyPassword);
}

export function createNewHost(config: StackConfig, address: string, hostKey: string): HostLogin {
  return {
    stack: config.stack,
    ssh: createHostTarget(config, address, hostKey),
    sudoPassword: config.ssh.sudoPassword,
  };
}
