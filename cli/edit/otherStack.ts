import { isDeepStrictEqual } from "node:util";
import type { StackConfig } from "../../core/config/config";
import { commandsFor } from "../../core/util/commands";
import { formatProblem } from "../../core/util/problem";
import { parseConfiguration } from "../pulumi/configuration";
import { createPulumi, type Pulumi } from "../pulumi/pulumiCommand";
import type { PlainSettings } from "../pulumi/stackFiles";
import { type OtherHost, parseHostOutput } from "../pulumi/stackState";
import { CliRefusal } from "../terminal/refusal";

interface TwoStacks {
  readonly engine: Pulumi;
  readonly config: StackConfig;
  readonly other: StackConfig;
  readonly host: OtherHost;
}

/** Reads both stacks. @throws CliRefusal if a stack can't be read, or `otherStack` has no host yet */
export async function openTwoStacks(stack: string, otherStack: string): Promise<TwoStacks> {
  const [engine, others] = [createPulumi(stack), createPulumi(otherStack)];
  const config = parseConfiguration(stack, await engine.read(["config", "--json", "--show-secrets"]));
  const other = parseConfiguration(otherStack, await others.read(["config", "--json", "--show-secrets"]));
  const host = parseHostOutput(await others.read(["stack", "export"]));
  if (host === undefined)
    throw new CliRefusal(
      formatProblem({
        what: `stack ${otherStack} has no host in its outputs yet: nothing was changed`,
        needed: `complete a run of ${otherStack}: ${commandsFor(otherStack).up}`,
      }),
    );
  return { engine, config, other, host };
}

type Login = StackConfig["ssh"];

/** Returns a host's settings for a block of a stack's file. Leaves out login values that equal the `usual` ones. */
export function createHostSettings(block: string, host: OtherHost, login: Login, usual: Login): PlainSettings {
  const { user, port, proxy } = login;
  const settings = {
    [`${block}.address`]: host.address,
    [`${block}.hostKey`]: host.hostKey,
    [`${block}.user`]: user === usual.user ? undefined : user,
    [`${block}.port`]: port === usual.port ? undefined : port,
  };
  const isUsual = user === usual.user && isDeepStrictEqual(proxy, usual.proxy);
  return proxy === undefined || isUsual ? settings : { ...settings, ...createProxySettings(`${block}.proxy`, proxy) };
}

export function createProxySettings(block: string, proxy: Partial<NonNullable<Login["proxy"]>> = {}): PlainSettings {
  const keys = ["address", "hostKey", "user", "port", "privateKeyFile"] as const;
  return Object.fromEntries(keys.map((key) => [`${block}.${key}`, proxy[key]]));
}

/** Returns the keys of a login's secrets that differ from another login's. The operator has to set them. */
export function listOwnSecrets(login: Partial<Login>, usual: Partial<Login> = {}): string[] {
  const keys = ["privateKey", "privateKeyPassword", "password", "sudoPassword"] as const;
  const [own, others] = [login.proxy, usual.proxy] as readonly (Readonly<Record<string, unknown>> | undefined)[];
  return [
    ...keys.filter((key) => login[key] !== undefined && login[key] !== usual[key]),
    ...keys.filter((key) => own?.[key] !== undefined && own[key] !== others?.[key]).map((key) => `proxy.${key}`),
  ];
}
