import { existsSync } from "node:fs";
import {
  checkPrivateKey,
  describeUnreadableKey,
  formatOwnFile,
  type KeyFileFault,
  readKeyFile,
} from "../../core/config/privateKey.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { readSmallFile } from "../../core/util/readSmallFile.ts";
import { resolvePath } from "../../core/util/resolvePath.ts";
import { askSecret, isTerminal } from "../terminal/prompts.ts";
import type { Answers, InitFlags, LoginMethod } from "./stackText.ts";

/** A secret of the configuration: the key below `pillar-host:`, and its value. */
export type Secret = readonly [path: string, value: string];

/** Returns the secrets that can be had now; without a terminal, the operator sets the others later. */
export async function gatherSecrets(
  { provider, login, user, address }: Answers,
  { tokenFile }: Pick<InitFlags, "tokenFile">,
): Promise<Secret[]> {
  const secrets: Secret[] = [];
  const path = isTerminal() ? findLoginSecret(login) : undefined;
  if (path !== undefined) {
    const what = typeof login === "string" ? `password of ${user}@${address}` : `pass phrase of ${login.keyFile}`;
    secrets.push([path, await askSecret(`The ${what}:`)]);
  }
  if (provider === "existing") return secrets;
  if (tokenFile !== undefined) secrets.push(["host.token", readToken(tokenFile)]);
  else if (isTerminal()) {
    const title = provider === "hetzner" ? "Hetzner Cloud" : "DigitalOcean";
    secrets.push(["host.token", (await askSecret(`An API token of ${title} with read and write permission:`)).trim()]);
  }
  return secrets;
}

function readToken(file: string): string {
  const refusal = (wrong: string, needed: string) =>
    new ProblemError({ what: `--token-file: ${file} ${wrong}`, needed });
  const read = readSmallFile(file);
  if ("problem" in read) throw refusal(read.problem, "give a file that holds the API token, and nothing else");
  const { text, exposed } = read.value;
  if (exposed !== undefined) throw refusal(exposed, `give ${formatOwnFile(file)}`);
  return text.trim();
}

export function listMissingSecrets({ provider, login }: Answers, secrets: readonly Secret[]): string[] {
  const needed = [provider === "existing" ? undefined : "host.token", findLoginSecret(login)];
  return needed.filter((path) => path !== undefined && !secrets.some(([each]) => each === path)) as string[];
}

function findLoginSecret(login: LoginMethod): string | undefined {
  if (typeof login === "string") return login === "password" ? "ssh.password" : undefined;
  return hasPassphrase(login.keyFile) ? "ssh.privateKeyPassword" : undefined;
}

/** A thief with a copy of the state can try shorter pass phrases one after the other. */
const minPassphraseLength = 12;
const isTooShort = (phrase: string) => phrase.trim().length < minPassphraseLength;
const needsLonger = `choose one of at least ${minPassphraseLength} characters, such as four random words`;

/** Returns true if the environment sets a pass phrase for pulumi. @throws Refusal of one that is too short */
export function hasSetPassphrase(): boolean {
  const { PULUMI_CONFIG_PASSPHRASE: phrase, PULUMI_CONFIG_PASSPHRASE_FILE: file } = process.env;
  const read = phrase === undefined && file !== undefined ? readSmallFile(file) : undefined;
  const set = read && "value" in read ? read.value.text : phrase;
  if (set === undefined || !isTooShort(set)) return (phrase ?? file) !== undefined;
  const what = `the pass phrase in ${read ? file : "PULUMI_CONFIG_PASSPHRASE"} is too short; nothing was written`;
  throw new ProblemError({ what, needed: needsLonger });
}

export async function choosePassphrase(): Promise<string> {
  console.error(
    "A pass phrase protects the secrets of this stack; pulumi asks for it from now on. Keep it: it can't be recovered.",
  );
  for (;;) {
    const instead = "PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE";
    const phrase = await askSecret("Choose a pass phrase:", instead);
    if (isTooShort(phrase)) console.error(`This one is too short: ${needsLonger}.`);
    else if (phrase === (await askSecret("Repeat the pass phrase:"))) return phrase;
    else console.error("The two pass phrases differ.");
  }
}

/** The usual names of private key files, the preferred one first. */
const names = ["id_ed25519", "id_ecdsa", "id_rsa"];

/** Lists the usual private key files that exist on this machine, as paths for a stack's file. */
export function listKeyFiles(): string[] {
  return names.map((name) => `~/.ssh/${name}`).filter((file) => existsSync(resolvePath(file)));
}

/** Returns the fault of a private key file; undefined if the key can be read or has a pass phrase. */
export function checkKeyFile(file: string): KeyFileFault | undefined {
  const found = readKeyFile(file);
  if ("fault" in found) return found.fault;
  return checkPrivateKey(found.text) === "unreadable" ? describeUnreadableKey(found.text, file) : undefined;
}

export function hasPassphrase(file: string): boolean {
  const found = readKeyFile(file);
  return "text" in found && checkPrivateKey(found.text) === "locked";
}
