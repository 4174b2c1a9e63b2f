import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { findNewHostGap, type VersionGap } from "../../core/chain/requiredVersions.ts";
import { readRequiredVersions } from "../../core/chain/versionRules.ts";
import type { StackConfig } from "../../core/config/config.ts";
import type { HostProvider } from "../../core/config/hostSchema.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { resolveStackFilePath, shortenStackName } from "../pulumi/stackName.ts";

/** The choices for the host, the usual one first. */
export const hostProviders = ["existing", "hetzner", "digitalocean"] as const satisfies readonly HostProvider[];

type HostFlag = "address" | "hostKey" | "fingerprint" | "user" | "port" | "oldHost" | "oldHostKey" | "oldFingerprint";
type NodeFlag = "nodeReleaseSha256" | "nodeReleaseVersion";
type TextFlag = HostFlag | NodeFlag | "pillar" | "keyFile" | "tokenFile" | "release" | "releaseSha256";
type Switch = "adopt" | "copyChain" | "acceptHostKey" | "agent" | "password";
type Flags<Name extends string, Value> = Readonly<Partial<Record<Name, Value>>>;

/** The options of `init`, as cli/commands/changeCommands.ts describes them. */
export interface InitFlags
  extends Flags<TextFlag, string>,
    Flags<Switch, boolean>,
    Flags<"sshFrom" | "reference", readonly string[]> {
  readonly provider?: HostProvider;
  /** False if the operator wants none. */
  readonly nodeRelease?: string | false;
}

export type LoginMethod = "agent" | "password" | { readonly keyFile: string };

export type JumpHost = Pick<
  NonNullable<StackConfig["ssh"]["proxy"]>,
  "address" | "hostKey" | "user" | "port" | "privateKeyFile"
>;

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
  /** The jump host before the host. */
  readonly proxy?: JumpHost | undefined;
  readonly login: LoginMethod;
  /** The witnesses of the chain: the Pillar's present host and independent nodes. */
  readonly oldHost?: (JumpHost & { readonly proxy?: JumpHost | undefined }) | undefined;
  readonly references: readonly string[];
  /** True if the old host's chain is copied to the new host. */
  readonly copiesChain?: boolean | undefined;
  readonly release?: string | undefined;
  readonly releaseSha256?: string | undefined;
  /** The node's release; undefined if the version that the controller builds stays. */
  readonly nodeRelease?: Readonly<Record<"url" | "sha256" | "version", string>> | undefined;
}

const examples = join(import.meta.dirname, "../../examples");

/** Refuses the name of a file that is there without its stack: git tracks Pulumi.prod.yaml, which a pull replaces. */
export function refuseExistingFile(stack: string): void {
  const file = resolveStackFilePath(stack);
  if (!existsSync(file)) return;
  throw new ProblemError({
    what: `${file} exists already, without a stack; nothing was written`,
    found: shortenStackName(stack) === "prod" && "the example of this program, which git pull replaces",
    needed: `choose another name, such as prod-1; or, to make the stack of this file: ${commandsFor(stack).makeStack}`,
  });
}

export function readExample({ provider, adopt }: Pick<Answers, "provider" | "adopt">): string {
  const ownServer = adopt ? "old-host" : "own-server";
  return readFileSync(join(examples, `${provider === "existing" ? ownServer : provider}.yaml`), "utf8");
}

type Named = Readonly<Record<string, { source?: string; release?: { url?: string } } | undefined>>;

const readKeys = (example: string) => (parse(example) as { config: Named }).config;

/** Returns the addresses of the releases in an example. */
export function findReleaseUrls(example: string) {
  const config = readKeys(example);
  return { controller: config["pillar-host:controller"]?.release?.url, node: config["pillar-host:node"]?.release?.url };
}

/** Returns the version that the node needs on a host made from an example; undefined if none is required there. */
export function findRequiredVersion(example: string): VersionGap | undefined {
  return findNewHostGap(readKeys(example)["pillar-host:controller"]?.source, readRequiredVersions());
}

/** A place in an example, and its replacement in the form of String.replace. */
type Replacement = readonly [place: RegExp, text: string];

const nodeReleasePlace = / {4}# REPLACE: the node's release.*\n(?: {4}#.*\n)* {4}release:\n(?: {6}.*\n)+/;
const commentOut = (block: string) => block.replaceAll(/^ {4}(?!#)/gm, "    #");

/** Formats a stack's file from the commented example. @throws Error if the example has no place for a value */
export function formatStackFile(example: string, answers: Answers): string {
  const whole = example.replaceAll("-s prod-2", `-s ${answers.stack}`);
  const named = answers.nodeRelease ? whole : whole.replace(nodeReleasePlace, commentOut);
  return listReplacements(answers).reduce((text, [place, instead]) => {
    if (!place.test(text)) throw new Error(`the example has no place for ${place}`);
    return text.replace(place, instead);
  }, named);
}

function listReplacements(answers: Answers): Replacement[] {
  const { pillar, provider, adopt, address = "", hostKey, sshFrom, release, releaseSha256, nodeRelease } = answers;
  const isCloud = provider !== "existing";
  const networks = `    # T$1\n    sshFrom: [${sshFrom.map(formatScalar).join(", ")}]`;
  const witnesses =
    / {2}# REPLACE: witnesses of the chain\..*\n(?: {2}#.*\n)* {2}pillar-host:sync:\n(?: {4}.*\n)*((?: {2}#.*\n)*)/;
  const places: (Replacement | false)[] = [
    [/^(# yaml-language-server: \$schema=)\.\.\//, "$1./"],
    [/^# To use it: .*\n.*\n/m, "# Change it as you like. docs/configuration.md has every key.\n"],
    [/^( {4}name: ).*$/m, `$1${formatScalar(pillar)}`],
    [/^( {2}pillar-host:ssh:\n)(?: {4}.*\n)+/m, `$1${formatLogin(answers)}\n`],
    isCloud
      ? [/^ {4}# REPLACE: t(he networks.*)\n {4}sshFrom: .*$/m, networks]
      : [/^( {4}address: ).*$/m, `$1${formatScalar(address)}`],
    hostKey !== undefined && [/^ {4}# From: ssh-keyscan.*\n {4}#hostKey: .*$/m, `    hostKey: ${hostKey}`],
    !adopt && [witnesses, formatWitnesses(answers)],
    !adopt && [/^ {2}# REPLACE: the latest of (.*), with the hash shown there\.$/m, "  # Its releases: $1"],
    release !== undefined && [/^( {6}url: ).*$/m, `$1${formatScalar(release)}`],
    releaseSha256 !== undefined && [/^ {6}#(sha256: ).*$/m, `      $1"${releaseSha256}"`],
    nodeRelease !== undefined && [nodeReleasePlace, formatNodeRelease(nodeRelease)],
  ];
  return places.filter((place) => place !== false);
}

function formatLogin({ provider, user, port, proxy, login: by }: Answers): string {
  const ways = { agent: "    agent: true", password: "    # The password is a secret of the stack, below." };
  const lines = [
    provider === "existing" && `    user: ${formatScalar(user)} # another user than root becomes root with sudo`,
    port !== 22 && `    port: ${port}`,
    typeof by === "string" ? ways[by] : `    privateKeyFile: ${formatScalar(by.keyFile)}`,
    proxy !== undefined && formatBlock({ proxy }).trimEnd(),
  ];
  return lines.filter((line) => line !== false).join("\n");
}

function formatWitnesses({ oldHost, references, copiesChain }: Answers): string {
  return [
    "  # Witnesses of the chain: without one the new producer address is not shown (docs/sync.md).",
    ...(references.length > 0
      ? [
          "  pillar-host:sync:",
          `    references: [${references.map(formatScalar).join(", ")}]`,
          ...(copiesChain
            ? ["    from: oldHost # its chain is copied: docs/sync.md, The chain from the old host"]
            : []),
        ]
      : []),
    // Without an answer the example's commented block stays: a later move of the orchestrator needs it.
    oldHost ? `  pillar-host:oldHost:\n${formatBlock(oldHost)}` : "$1",
  ].join("\n");
}

const formatNodeRelease = ({ url, sha256, version }: NonNullable<Answers["nodeRelease"]>): string =>
  `    # The node's release: the controller may build an older one than the network requires.
    release:\n      url: ${formatScalar(url)}\n      sha256: "${sha256}"\n      version: ${version}\n`;

/** Formats the keys of a block, for String.replace. Leaves undefined ones out. */
const formatBlock = (block: object) => `${formatScalar(block).replace(/^/gm, "    ")}\n`;

/** Formats a value for YAML; a text is quoted if it would be read as another type. A `$` is doubled, as String.replace needs it. */
const formatScalar = (value: string | object) => stringify(value, { lineWidth: 0 }).trim().replaceAll("$", "$$$$");
