import { ownFile } from "../../core/config/privateKey";
import { readSmall, type SmallFile } from "../../core/util/readSmall";
import { askSecret } from "../ask";
import { CliRefusal } from "../refusal";
import type { InitFlags } from "./flags";
import { isLocked } from "./logins";
import type { Answers } from "./stackText";

/** A secret of the configuration: the key below `pillar-host:`, and its value. */
export type Secret = readonly [path: string, value: string];

/** The secrets that go into the stack: as given, or asked for. @param isAsked there is a terminal */
export async function secretsFor(
  { provider, keyFile }: Answers,
  { tokenFile }: InitFlags,
  isAsked: boolean,
): Promise<Secret[]> {
  const secrets: Secret[] = [];
  if (keyFile !== undefined && isAsked && isLocked(keyFile))
    secrets.push(["ssh.privateKeyPassword", await askSecret(`The pass phrase of the key in ${keyFile}:`)]);
  if (provider === "existing") return secrets;
  if (tokenFile !== undefined) secrets.push(["host.token", tokenIn(tokenFile)]);
  else if (isAsked) {
    const title = provider === "hetzner" ? "Hetzner Cloud" : "DigitalOcean";
    secrets.push(["host.token", (await askSecret(`An API token of ${title} that reads and writes:`)).trim()]);
  }
  return secrets;
}

function tokenIn(file: string): string {
  const refusal = (wrong: string, needed: string) =>
    new CliRefusal(`--token-file: ${file} ${wrong}\n  needed: ${needed}`);
  let found: SmallFile;
  try {
    found = readSmall(file);
  } catch (error) {
    throw refusal((error as Error).message, "a file that holds the API token, and nothing else");
  }
  if (found.exposed !== undefined) throw refusal(found.exposed, ownFile(file));
  return found.text.trim();
}

/** The secrets that the stack still lacks, by the keys below `pillar-host:`. */
export function missingSecrets({ provider, keyFile }: Answers, secrets: readonly Secret[]): string[] {
  const has = (path: string) => secrets.some(([each]) => each === path);
  return [
    ...(provider === "existing" || has("host.token") ? [] : ["host.token"]),
    ...(keyFile === undefined || has("ssh.privateKeyPassword") || !isLocked(keyFile) ? [] : ["ssh.privateKeyPassword"]),
  ];
}

/** A new stack's pass phrase, which nobody can recover. */
export async function choosePassphrase(): Promise<string> {
  console.error(
    "A pass phrase protects the secrets of this stack; pulumi asks for it from now on. It can't be recovered: keep it.",
  );
  for (;;) {
    const phrase = await askSecret("Choose a pass phrase:");
    if (phrase === "") console.error("An empty one protects nothing.");
    else if (phrase === (await askSecret("Again:"))) return phrase;
    else console.error("They differ.");
  }
}
