import { rmSync, writeFileSync } from "node:fs";
import type { StackConfig } from "../../core/config/config";
import { isSameMachine } from "../../core/config/sameMachine";
import { proxyOf } from "../../core/ssh/configuredLogin";
import { shownHostKey } from "../../core/ssh/shownHostKey";
import { commandsFor } from "../../core/util/commands";
import { quote } from "../../core/util/quote";
import { answerSchemas, refuseAnswers } from "../init/checkAnswers";
import { comparedHostKey } from "../init/confirmHostKey";
import { fileOf, shippedText } from "../init/shipped";
import { configurationOf } from "../pulumi/configuration";
import { type Asked, createEngine, type Engine } from "../pulumi/pulumiCommand";
import { type Settings, setPlain, upOrPrint } from "../pulumi/stackFiles";
import { CliRefusal } from "../terminal/refusal";
import { ownSecrets, proxySettings } from "./otherStack";

export interface AdoptOptions {
  /** The stack whose Pillar, login and references the new one gets. */
  readonly like: string;
  readonly hostKey?: string;
  readonly up: boolean;
}

/** Makes a stack of a host that somebody else set up, and lets it be adopted. @returns the exit code. @throws Refusal */
export async function adopt(
  stack: string,
  address: string,
  args: readonly string[],
  { like, hostKey: given, up }: AdoptOptions,
): Promise<number> {
  refuseAnswers("adopt", [
    ["address", answerSchemas.address, address],
    ["--host-key", answerSchemas.hostKey, given],
  ]);
  const hostKey = given && answerSchemas.hostKey.parse(given);
  const asked: Asked = {};
  const model = createEngine(like, asked);
  const config = configurationOf(like, await model.read(["config", "--json", "--show-secrets"]));
  if (isSameMachine(config.host, { address, hostKey }))
    throw new CliRefusal(
      `${address} is the host of ${like} already: nothing was made\n  needed: the address of another host, the one that is to be retired`,
    );
  const key = hostKey ?? knownKey(config, address) ?? (await comparedKey(stack, address, like, config.ssh));
  const isNew = !(await model.list()).includes(stack);
  // Where none of its configuration is a secret, nothing else has asked for its pass phrase yet.
  if (isNew) await model.read(["stack", "export", "--show-secrets"]);
  // Secrets that are copied are opened and closed with one pass phrase.
  const engine = createEngine(stack, isNew ? asked : {});
  if (isNew) await makeLike(engine, stack, like);
  else await isAlreadyFor(stack, address, engine);
  await setPlain(engine, adoptedSettings(config, address, key), isNew ? replaced : []);
  console.log(
    `${stack} is the stack of ${address} now (Pulumi.${stack}.yaml); its login is that of ${like}${isNew ? ", and so is its pass phrase" : ""}.`,
  );
  for (const secret of ownSecrets(moveFrom(config, address) ?? {}))
    console.log(
      `Its ${secret} in orchestrator.migrateFrom is another: ${commandsFor(stack).setSecret(`ssh.${secret}`)}`,
    );
  const exitCode = await upOrPrint(stack, up, args, engine);
  if (up && exitCode === 0) console.log(`\nTo go on with ${like}:\n  ${commandsFor(like).next}`);
  return exitCode;
}

/** The engine keeps what is in the new stack's file: names of an example would stand before those of the other stack. */
async function makeLike(engine: Engine, stack: string, like: string): Promise<void> {
  const file = fileOf(stack);
  const shipped = shippedText(file);
  if (shipped !== undefined) rmSync(file);
  try {
    await engine.read(["stack", "init", "--no-select", "--copy-config-from", like]);
  } catch (error) {
    if (shipped !== undefined) writeFileSync(file, shipped);
    throw error;
  }
}

/** What of the other stack's file is about its own host, or about a move to it. */
const replaced = [
  ...["host", "cutover", "retirement", "controller", "lifecycle"],
  ...["from", "oldHost", "copyMbps", "unverifiedChain"].map((key) => `sync.${key}`),
  ...["migrateFrom", "release", "attempt", "rollback", "unattended"].map((key) => `orchestrator.${key}`),
];

/** What the stack of an adopted host says. Where its signer is to move from is known of the other stack. */
export function adoptedSettings(config: StackConfig, address: string, hostKey: string): Settings {
  const from = moveFrom(config, address);
  return {
    "host.provider": "existing",
    "host.address": address,
    "host.hostKey": hostKey,
    lifecycle: "adopted",
    ...proxySettings("ssh.proxy", from?.proxy),
    "ssh.user": from?.user,
    "ssh.port": from?.port,
    "node.dataDir": from?.dataDir,
    "orchestrator.service": from?.service,
    "orchestrator.directory": from?.directory,
    "orchestrator.executable": from?.executable,
  };
}

const moveFrom = ({ orchestrator: { migrateFrom } }: StackConfig, address: string) =>
  migrateFrom?.address === address ? migrateFrom : undefined;

const knownKey = ({ orchestrator, sync }: StackConfig, address: string) =>
  [orchestrator.migrateFrom, sync.oldHost].find((known) => known?.address === address)?.hostKey;

/** A key that was only scanned may be anybody's: it is shown, and the operator compares it, or gives it. */
async function comparedKey(stack: string, address: string, like: string, ssh: StackConfig["ssh"]): Promise<string> {
  if (process.stdin.isTTY) return comparedHostKey(address, ssh.port, {}, proxyOf(ssh));
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
async function isAlreadyFor(stack: string, address: string, engine: Engine): Promise<void> {
  const text = await engine.read(["config", "get", "--path", "pillar-host:host.address"]).catch(() => "");
  if (text.trim() === address || text.trim() === "") return;
  throw new CliRefusal(
    `there is a stack ${stack} already, of ${text.trim()}: nothing was changed\n  needed: another name for the stack of ${address}`,
  );
}
