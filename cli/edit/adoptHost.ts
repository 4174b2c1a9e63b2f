import { rmSync, writeFileSync } from "node:fs";
import type { StackConfig } from "../../core/config/config";
import { isSameMachine } from "../../core/config/sameMachine";
import { proxyOf } from "../../core/ssh/configuredLogin";
import { shownHostKey } from "../../core/ssh/shownHostKey";
import { commandsFor } from "../../core/util/commands";
import { quote } from "../../core/util/quote";
import { answerSchemas, refuseBadAnswers } from "../init/checkAnswers";
import { confirmHostKey } from "../init/confirmHostKey";
import { readShippedFile, stackFilePath } from "../init/shipped";
import { parseConfiguration } from "../pulumi/configuration";
import { createPulumi, type Pulumi, type SharedPassphrase } from "../pulumi/pulumiCommand";
import { type PlainSettings, runOrPrintUp, writeSettings } from "../pulumi/stackFiles";
import { CliRefusal } from "../terminal/refusal";
import { createProxySettings, listOwnSecrets } from "./otherStack";

export interface AdoptOptions {
  /** The stack whose Pillar, login and references the new one gets. */
  readonly like: string;
  readonly hostKey?: string;
  readonly up: boolean;
}

/** Makes a stack of a host that somebody else set up, and lets it be adopted. @returns the exit code. @throws Refusal */
export async function adoptHost(
  stack: string,
  address: string,
  args: readonly string[],
  { like, hostKey: given, up }: AdoptOptions,
): Promise<number> {
  refuseBadAnswers("adopt", [
    ["address", answerSchemas.address, address],
    ["--host-key", answerSchemas.hostKey, given],
  ]);
  const hostKey = given && answerSchemas.hostKey.parse(given);
  const asked: SharedPassphrase = {};
  const model = createPulumi(like, asked);
  const config = parseConfiguration(like, await model.read(["config", "--json", "--show-secrets"]));
  if (isSameMachine(config.host, { address, hostKey }))
    throw new CliRefusal(
      `${address} is the host of ${like} already: nothing was made\n  needed: the address of another host, the one that is to be retired`,
    );
  const key = hostKey ?? findHostKey(config, address) ?? (await confirmKey(stack, address, like, config.ssh));
  const isNew = !(await model.listStacks()).includes(stack);
  // Where none of its configuration is a secret, nothing else has asked for its pass phrase yet.
  if (isNew) await model.read(["stack", "export", "--show-secrets"]);
  // Secrets that are copied are opened and closed with one pass phrase.
  const engine = createPulumi(stack, isNew ? asked : {});
  if (isNew) await createStackLike(engine, stack, like);
  else await refuseOtherHost(stack, address, engine);
  await writeSettings(engine, createAdoptedSettings(config, address, key), isNew ? replacedKeys : []);
  console.log(
    `${stack} is the stack of ${address} now (Pulumi.${stack}.yaml); its login is that of ${like}${isNew ? ", and so is its pass phrase" : ""}.`,
  );
  for (const secret of listOwnSecrets(findMoveBlock(config, address) ?? {}))
    console.log(
      `Its ${secret} in orchestrator.migrateFrom is another: ${commandsFor(stack).setSecret(`ssh.${secret}`)}`,
    );
  const exitCode = await runOrPrintUp(stack, up, args, engine);
  if (up && exitCode === 0) console.log(`\nTo go on with ${like}:\n  ${commandsFor(like).next}`);
  return exitCode;
}

/** The engine keeps what is in the new stack's file: names of an example would stand before those of the other stack. */
async function createStackLike(engine: Pulumi, stack: string, like: string): Promise<void> {
  const file = stackFilePath(stack);
  const shipped = readShippedFile(file);
  if (shipped !== undefined) rmSync(file);
  try {
    await engine.read(["stack", "init", "--no-select", "--copy-config-from", like]);
  } catch (error) {
    if (shipped !== undefined) writeFileSync(file, shipped);
    throw error;
  }
}

/** What of the other stack's file is about its own host, or about a move to it. */
const replacedKeys = [
  ...["host", "cutover", "retirement", "controller", "lifecycle"],
  ...["from", "oldHost", "copyMbps", "unverifiedChain"].map((key) => `sync.${key}`),
  ...["migrateFrom", "release", "attempt", "rollback", "unattended"].map((key) => `orchestrator.${key}`),
];

/** What the stack of an adopted host says. Where its signer is to move from is known of the other stack. */
export function createAdoptedSettings(config: StackConfig, address: string, hostKey: string): PlainSettings {
  const from = findMoveBlock(config, address);
  return {
    "host.provider": "existing",
    "host.address": address,
    "host.hostKey": hostKey,
    lifecycle: "adopted",
    ...createProxySettings("ssh.proxy", from?.proxy),
    "ssh.user": from?.user,
    "ssh.port": from?.port,
    "node.dataDir": from?.dataDir,
    "orchestrator.service": from?.service,
    "orchestrator.directory": from?.directory,
    "orchestrator.executable": from?.executable,
  };
}

const findMoveBlock = ({ orchestrator: { migrateFrom } }: StackConfig, address: string) =>
  migrateFrom?.address === address ? migrateFrom : undefined;

const findHostKey = ({ orchestrator, sync }: StackConfig, address: string) =>
  [orchestrator.migrateFrom, sync.oldHost].find((known) => known?.address === address)?.hostKey;

/** A key that was only scanned may be anybody's: it is shown, and the operator compares it, or gives it. */
async function confirmKey(stack: string, address: string, like: string, ssh: StackConfig["ssh"]): Promise<string> {
  if (process.stdin.isTTY) return confirmHostKey(address, ssh.port, {}, proxyOf(ssh));
  const shown = await shownHostKey(address, ssh.port, proxyOf(ssh));
  if ("fault" in shown) throw new CliRefusal(`${shown.fault}\n  needed: the address of a running host`);
  throw new CliRefusal(
    [
      `${address} shows the host key ${shown.fingerprint}; nothing was made`,
      "  needed: your word that it is that host's. On its console: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub",
      `  Where it is the same: ${commandsFor(stack).adopt(address, like, "--host-key", quote(shown.key))}`,
      `  (${stack} then logs in to no other key)`,
    ].join("\n"),
  );
}

/** A second try goes on; a stack of another host is left alone. */
async function refuseOtherHost(stack: string, address: string, engine: Pulumi): Promise<void> {
  const text = await engine.read(["config", "get", "--path", "pillar-host:host.address"]).catch(() => "");
  if (text.trim() === address || text.trim() === "") return;
  throw new CliRefusal(
    `there is a stack ${stack} already, of ${text.trim()}: nothing was changed\n  needed: another name for the stack of ${address}`,
  );
}
