import { isDeepStrictEqual } from "node:util";
import type { StackConfig } from "../../core/config/config.ts";
import { moveKeys } from "../../core/config/orchestratorSchema.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { isSameMachine } from "../../core/util/hostPort.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { answerSchemas, refuseBadAnswers } from "../init/checkAnswers.ts";
import { type ReachedHost, reachHost } from "../init/reachHost.ts";
import { readSshSettings } from "../init/sshSettings.ts";
import { refuseExistingFile } from "../init/stackText.ts";
import { parseConfiguration } from "../pulumi/configuration.ts";
import { createPulumi, type Pulumi, type SharedPassphrase } from "../pulumi/pulumiCommand.ts";
import { findStackOf, type PlainSettings, runUp, type UpOptions, writeSettings } from "../pulumi/stackFiles.ts";
import { checkStackName, shortenStackName } from "../pulumi/stackName.ts";
import { parseState } from "../pulumi/stackState.ts";
import { createProxySettings, listOwnSecrets } from "./otherStack.ts";

export interface AdoptOptions extends UpOptions {
  /** The stack whose Pillar, login and references the new stack gets. */
  readonly like: string;
  readonly hostKey?: string;
}

/** Makes a stack for a host that somebody else set up, and adopts the host. @returns the exit code. @throws Refusal */
export async function adoptHost(
  stack: string,
  destination: string,
  args: readonly string[],
  { like, hostKey: given, ...options }: AdoptOptions,
): Promise<number> {
  checkStackName(stack);
  refuseBadAnswers("adopt", [
    ["address", answerSchemas.destination, destination],
    ["--host-key", answerSchemas.hostKey, given],
  ]);
  const hostKey = given && answerSchemas.hostKey.parse(given);
  const { address } = readSshSettings(destination);
  const asked: SharedPassphrase = {};
  const model = createPulumi(like, asked);
  const configured = await model.read(["config", "--json", "--show-secrets"]);
  const config = parseConfiguration(like, configured);
  if (isSameMachine(config.host, { address, hostKey }))
    throw new ProblemError({
      what: `${address} is the host of ${like} already: nothing was made`,
      needed: "give the address of the old host, which is to be retired",
    });
  const { port, proxy } = config.ssh;
  const login = async () => config.ssh;
  const key = hostKey ?? findOldHost(config, address)?.hostKey;
  const question = { hostKey: key, option: "--host-key", newHost: config.host, port, proxy, login };
  const host = await reachHost(destination, question);
  const shortName = shortenStackName(stack);
  const other = await findStackOf(address, shortName);
  if (other !== undefined)
    throw new ProblemError({
      what: `${address} is the host of stack ${other} already: nothing was made`,
      needed: `continue with that stack: ${commandsFor(other).up}`,
      next: `Then: ${commandsFor(like).next}`,
    });
  const isNew = !(await model.listStacks()).includes(shortName);
  const isBegun = !isNew && parseState(await createPulumi(stack).read(["stack", "export"])).isBegun;
  // Pulumi would keep the values of a file that is there.
  if (isNew) refuseExistingFile(stack);
  // Asks for the pass phrase now: a configuration without secrets could be read without it.
  if (!isBegun) await model.read(["stack", "export", "--show-secrets"]);
  // Pulumi takes one pass phrase to copy secrets from stack to stack, so both stacks get the same.
  const engine = createPulumi(stack, isNew ? asked : {});
  if (isNew) await engine.read(["stack", "init", "--no-select", "--copy-config-from", like]);
  const isCopy = isNew || (await isUnusedCopy(configured, engine));
  if (!isCopy) await refuseOtherHost(stack, address, engine);
  await writeSettings(engine, createAdoptedSettings(config, host), isCopy ? listReplacedKeys(config, host) : []);
  const copied = `the login${isBegun ? "" : " and the pass phrase"} of ${like}`;
  const hasOwn = (host.user ?? host.port ?? host.privateKeyFile ?? host.proxy) !== undefined;
  const own =
    hasOwn && findOldHost(config, address) === undefined ? ", changed by what your ssh has for this host" : "";
  console.log(`${stack} is now the stack of ${address} (Pulumi.${shortName}.yaml), with ${copied}${own}.`);
  for (const secret of listOwnSecrets(findOldHost(config, address) ?? {}))
    console.log(
      `oldHost has this host's own ${secret}. Set that secret, too: ${commandsFor(stack).setSecret(`ssh.${secret}`)}`,
    );
  const exitCode = await runUp(stack, options, args, engine);
  if (options.up && exitCode === 0) console.log(`\nTo continue with ${like}:\n  ${commandsFor(like).next}`);
  return exitCode;
}

/** Lists keys to remove from the copy: they describe the other stack's host, its login or a move to it. */
export function listReplacedKeys(config: StackConfig, host: ReachedHost): string[] {
  const from: ReachedHost & Partial<OldHost> = findOldHost(config, host.address) ?? host;
  const isLoginOwn = from.agent || (from.privateKey ?? from.password) !== undefined;
  const login = isLoginOwn ? ["agent", "privateKeyFile", "privateKey", "privateKeyPassword", "password"] : [];
  // A sudo password belongs to one user.
  if (from.user !== undefined && from.user !== config.ssh.user) login.push("sudoPassword");
  return [
    ...["host", "retirement", "controller", "lifecycle", "node.release", "node.rpc", "node.rpcAddress", "oldHost"],
    ...[...login, ...(from.proxy ? ["proxy"] : [])].map((each) => `ssh.${each}`),
    ...["from", "copyMbps", "unverifiedChain"].map((key) => `sync.${key}`),
    ...["move", "release", "attempt", "unattended", ...moveKeys].map((key) => `orchestrator.${key}`),
  ];
}

/** Returns an adopted host's settings. Login and names come from the other stack's oldHost, if that is this host. */
export function createAdoptedSettings(config: StackConfig, host: ReachedHost): PlainSettings {
  const { address, hostKey } = host;
  const from: ReachedHost & Partial<OldHost> = findOldHost(config, address) ?? host;
  return {
    "host.provider": "existing",
    "host.address": address,
    "host.hostKey": hostKey,
    lifecycle: "adopted",
    ...createProxySettings("ssh.proxy", from.proxy),
    "ssh.user": from.user,
    "ssh.port": from.port,
    "ssh.agent": from.agent ? "true" : undefined,
    "ssh.privateKeyFile": from.privateKeyFile,
    "node.service": from.service,
    "node.dataDir": from.dataDir,
    "node.rpcAddress": from.rpcAddress,
    "node.rpcPort": from.rpcPort,
    "orchestrator.service": from.orchestrator?.service,
    "orchestrator.directory": from.orchestrator?.directory,
    "orchestrator.executable": from.orchestrator?.executable,
  };
}

type OldHost = NonNullable<StackConfig["oldHost"]>;

const findOldHost = ({ oldHost }: StackConfig, address: string) => (oldHost?.address === address ? oldHost : undefined);

/** True if an adoption was killed right after it copied the other stack's settings: both stacks' settings are equal. */
async function isUnusedCopy(others: string, engine: Pulumi): Promise<boolean> {
  const own = await engine.read(["config", "--json", "--show-secrets"]);
  if (!isDeepStrictEqual(JSON.parse(own), JSON.parse(others))) return false;
  return !parseState(await engine.read(["stack", "export"])).isBegun;
}

/** Refuses an existing stack of another host. A stack of this host is an earlier try, which may continue. */
async function refuseOtherHost(stack: string, address: string, engine: Pulumi): Promise<void> {
  const text = await engine.read(["config", "get", "--path", "pillar-host:host.address"]).catch(() => "");
  if (text.trim() === address || text.trim() === "") return;
  throw new ProblemError({
    what: `there is a stack ${stack} already, of host ${text.trim()}: nothing was changed`,
    needed: `give the stack of ${address} another name`,
  });
}
