import { stringify } from "yaml";
import type { HostProvider } from "../../core/config/hostSchema";

/** The choices for the host, the usual one first. */
export const hostProviders = ["existing", "hetzner", "digitalocean"] as const satisfies readonly HostProvider[];

type HostFlag = "address" | "hostKey" | "fingerprint" | "user" | "port" | "oldHost" | "oldHostKey" | "oldFingerprint";
type TextFlag = HostFlag | "pillar" | "keyFile" | "tokenFile" | "release" | "releaseSha256";
type Switch = "adopt" | "acceptHostKey" | "agent" | "password";
type Flags<Name extends string, Value> = Readonly<Partial<Record<Name, Value>>>;

/** The options of `init`, as cli/commands/changeCommands.ts describes them. */
export interface InitFlags
  extends Flags<TextFlag, string>,
    Flags<Switch, boolean>,
    Flags<"sshFrom" | "reference", readonly string[]> {
  readonly provider?: HostProvider;
}

export type LoginMethod = "agent" | "password" | { readonly keyFile: string };

export interface Answers {
  readonly stack: string;
  readonly pillar: string;
  readonly provider: HostProvider;
  /** True if the Pillar's present host is adopted as it is. */
  readonly adopt: boolean;
  readonly address?: string | undefined;
  readonly hostKey?: string | undefined;
  /** Networks that may reach a new server's ssh. */
  readonly sshFrom: readonly string[];
  readonly user: string;
  readonly port: number;
  readonly login: LoginMethod;
  /** The witnesses of the chain: the Pillar's present host and independent nodes. */
  readonly oldHost?: { readonly address: string; readonly hostKey: string } | undefined;
  readonly references: readonly string[];
  readonly release?: string | undefined;
  readonly releaseSha256?: string | undefined;
}

export function chooseExample({ provider, adopt }: Pick<Answers, "provider" | "adopt">): string {
  if (adopt) return "old-host";
  return provider === "existing" ? "own-server" : provider;
}

type Replacement = readonly [found: RegExp, instead: (kept: string) => string];

/** Formats a stack's file from the commented example. @throws Error if the example has no place for a value */
export function formatStackFile(example: string, answers: Answers): string {
  const places = [
    ...replaceCommon(answers),
    ...replaceHost(answers),
    ...replaceWitnesses(answers),
    ...replaceRelease(answers),
  ];
  const named = example.replaceAll("-s prod-2", `-s ${answers.stack}`);
  return places.reduce((text, [found, instead]) => {
    if (!found.test(text)) throw new Error(`the example has no place for ${found}`);
    return text.replace(found, (_, kept: unknown) => instead(typeof kept === "string" ? kept : ""));
  }, named);
}

function replaceCommon({ pillar, provider, user, port, login: by }: Answers): Replacement[] {
  const ways = { agent: "    agent: true", password: "    # The password is a secret of the stack, below." };
  const login = [
    ...(provider === "existing"
      ? [`    user: ${formatScalar(user)} # another user than root becomes root with sudo`]
      : []),
    ...(port === 22 ? [] : [`    port: ${port}`]),
    typeof by === "string" ? ways[by] : `    privateKeyFile: ${formatScalar(by.keyFile)}`,
  ];
  return [
    [/^(# yaml-language-server: .*)\.\.\/stack\.schema\.json$/m, (kept) => `${kept}./stack.schema.json`],
    [/^# To use it: .*\n.*\n/m, () => "# Change it as you like. docs/configuration.md has every key.\n"],
    [/^( {4}name: ).*$/m, (kept) => kept + formatScalar(pillar)],
    [/^( {2}pillar-host:ssh:\n)(?: {4}.*\n)+/m, (kept) => `${kept}${login.join("\n")}\n`],
  ];
}

function replaceHost({ provider, address = "", hostKey, sshFrom }: Answers): Replacement[] {
  if (provider !== "existing") {
    const networks = `    sshFrom: [${sshFrom.map(formatScalar).join(", ")}]`;
    return [[/^ {4}# REPLACE: (the networks.*)\n {4}sshFrom: .*$/m, (kept) => `    # T${kept.slice(1)}\n${networks}`]];
  }
  const key: Replacement = [/^ {4}# From: ssh-keyscan.*\n {4}#hostKey: .*$/m, () => `    hostKey: ${hostKey}`];
  return [[/^( {4}address: ).*$/m, (kept) => kept + formatScalar(address)], ...(hostKey === undefined ? [] : [key])];
}

function replaceWitnesses({ adopt, oldHost, references }: Answers): Replacement[] {
  if (adopt) return [];
  const block = [
    "  # Witnesses of the chain: without one the new producer address is not shown (docs/operating.md).",
    "  pillar-host:sync:",
    ...(references.length > 0 ? [`    references: [${references.map(formatScalar).join(", ")}]`] : []),
    ...(oldHost
      ? ["    oldHost:", `      address: ${formatScalar(oldHost.address)}`, `      hostKey: ${oldHost.hostKey}`]
      : []),
  ];
  return [
    [
      /^ {2}# REPLACE: witnesses of the chain\..*\n(?: {2}#.*\n)* {2}pillar-host:sync:\n(?: {4}.*\n)*/m,
      () => `${block.join("\n")}\n`,
    ],
  ];
}

function replaceRelease({ release, releaseSha256 }: Answers): Replacement[] {
  const url: Replacement = [/^( {6}url: ).*$/m, (kept) => kept + formatScalar(release ?? "")];
  const hash: Replacement = [/^ {6}#(sha256: ).*$/m, (kept) => `      ${kept}"${releaseSha256}"`];
  return [...(release === undefined ? [] : [url]), ...(releaseSha256 === undefined ? [] : [hash])];
}

/** Formats a text for YAML, quoted if it would be read as another type. */
const formatScalar = (text: string) => stringify(text, { lineWidth: 0 }).trim();
