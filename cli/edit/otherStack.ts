import { isDeepStrictEqual } from "node:util";
import type { StackConfig } from "../../core/config/config.ts";
import { ownAddress } from "../../core/config/nodeSchema.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { isSameMachine } from "../../core/util/hostPort.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { parseConfiguration } from "../pulumi/configuration.ts";
import { createPulumi } from "../pulumi/pulumiCommand.ts";
import type { PlainSettings } from "../pulumi/stackFiles.ts";
import { type OtherHost, parseState } from "../pulumi/stackState.ts";

/**
 * Reads a stack and the one that an option names. @throws ProblemError if one can't be read, or the other has no host yet,
 * has the same one, or is of another Pillar
 */
export async function openTwoStacks(stack: string, otherStack: string, option: "--from" | "--successor") {
  const [engine, others] = [createPulumi(stack), createPulumi(otherStack)];
  const config = parseConfiguration(stack, await engine.read(["config", "--json", "--show-secrets"]));
  const other = parseConfiguration(otherStack, await others.read(["config", "--json", "--show-secrets"]));
  const { address, hostKey } = parseState(await others.read(["stack", "export"])).last;
  if (address === undefined || hostKey === undefined)
    throw new ProblemError({
      what: `stack ${otherStack} has no host in its outputs yet: nothing was changed`,
      needed: `complete a run of ${otherStack}: ${commandsFor(otherStack).up}`,
    });
  const host = { address, hostKey };
  const what = findContradiction(config, { pillar: other.pillar, host });
  const needed = `give ${option} the stack of another host of Pillar ${config.pillar.name}`;
  if (what) throw new ProblemError({ what: `${otherStack} is ${what}: nothing was changed`, needed });
  return { engine, config, other, host };
}

/** Returns why two stacks are not those of two hosts of one Pillar. */
export function findContradiction(
  { pillar, host }: Pick<StackConfig, "pillar" | "host">,
  other: Pick<StackConfig, "pillar"> & { readonly host: OtherHost },
): string | undefined {
  if (pillar.name !== other.pillar.name) return `of Pillar ${other.pillar.name}, not ${pillar.name}`;
  return isSameMachine(host, other.host) ? `the stack of the same host, ${other.host.address}` : undefined;
}

type Login = StackConfig["ssh"];
type Hosts = Pick<StackConfig, "ssh" | "node" | "orchestrator">;

/** Returns a host's settings for a block of the file of `own`. Leaves out what is the same in both stacks. */
export function createHostSettings(block: string, host: OtherHost, other: Hosts, own: Hosts): PlainSettings {
  const { ssh, node, orchestrator } = other;
  const isUsual = ssh.user === own.ssh.user && isDeepStrictEqual(ssh.proxy, own.ssh.proxy);
  const way = isSameWay(ssh, own.ssh) ? undefined : ssh;
  return {
    [`${block}.address`]: host.address,
    [`${block}.hostKey`]: host.hostKey,
    [`${block}.user`]: ifOther(ssh.user, own.ssh.user),
    [`${block}.port`]: ifOther(ssh.port, own.ssh.port),
    [`${block}.agent`]: way?.agent ? "true" : undefined,
    [`${block}.privateKeyFile`]: way?.privateKeyFile,
    ...(isUsual ? {} : createProxySettings(`${block}.proxy`, ssh.proxy)),
    [`${block}.service`]: ifOther(node.service, own.node.service),
    [`${block}.dataDir`]: ifOther(node.dataDir, own.node.dataDir),
    [`${block}.rpcAddress`]: ifOther(node.rpcAddress, ownAddress),
    [`${block}.rpcPort`]: ifOther(node.rpcPort, own.node.rpcPort),
    [`${block}.orchestrator.service`]: ifOther(orchestrator.service, own.orchestrator.service),
    [`${block}.orchestrator.directory`]: ifOther(orchestrator.directory, own.orchestrator.directory),
    [`${block}.orchestrator.executable`]: ifOther(orchestrator.executable, own.orchestrator.executable),
  };
}

/** Returns a value of another stack; undefined if it is the same here. */
const ifOther = <T>(theirs: T, ours: T) => (theirs === ours ? undefined : theirs);

/** Tells if a block needs none of a login's key, password and agent: with one of its own, it takes none of pillar-host:ssh. */
const isSameWay = (login: Partial<Login>, usual: Partial<Login>) =>
  (["privateKey", "password", "agent"] as const).every((key) => login[key] === usual[key]);

export function createProxySettings(block: string, proxy: Partial<NonNullable<Login["proxy"]>> = {}): PlainSettings {
  const keys = ["address", "hostKey", "user", "port", "privateKeyFile"] as const;
  const settings = Object.fromEntries(keys.map((key) => [`${block}.${key}`, proxy[key]]));
  return { ...settings, [`${block}.agent`]: proxy.agent ? "true" : undefined };
}

/** Returns the keys of a login's secrets that differ from another login's. The operator has to set them. */
export function listOwnSecrets(login: Partial<Login>, usual: Partial<Login> = {}): string[] {
  const keys = ["privateKey", "privateKeyPassword", "password", "sudoPassword"] as const;
  const isUsual = isSameWay(login, usual);
  const isOwn = (key: (typeof keys)[number]) => login[key] !== usual[key] || (key !== "sudoPassword" && !isUsual);
  // A key in a file is no secret of the stack.
  const isFile = (key: string, of: Partial<Login>) => key === "privateKey" && of.privateKeyFile !== undefined;
  const own: Partial<Login> = login.proxy ?? {};
  const others: Partial<Login> = usual.proxy ?? {};
  return [
    ...keys.filter((key) => login[key] !== undefined && isOwn(key) && !isFile(key, login)),
    ...keys
      .filter((key) => own[key] !== undefined && own[key] !== others[key] && !isFile(key, own))
      .map((key) => `proxy.${key}`),
  ];
}
