import { isIPv6 } from "node:net";
import ms from "ms";
import ssh2 from "ssh2";
import { z } from "zod";
import { findBucketProblem } from "../store/bucketAddress.ts";

/** Builds the schema of a block that may be left out, as all its keys may. */
export const block = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).prefault({} as never);

/** Builds the schema of a text that has a pattern. */
export const text = (pattern: RegExp, needed: string, form: string) => z.string().regex(pattern, needed).meta({ form });

/** Plain words only, because these values end up in shell commands and in patterns. */
export const word = text(
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  "needed a plain word of letters, digits, dot, dash and underscore",
  "plain word",
);

export const acknowledged = z.literal("acknowledged", { error: "needed the word acknowledged, or nothing" });

export const port = z.number().int().min(1).max(65535).meta({ form: "port" });

/** The chain's own rule (go-zenon, vm/embedded/implementation/pillar.go), in a form that needs no backtracking. */
export const pillarName = z
  .string()
  .regex(/^(?=.{1,40}$)[A-Za-z0-9]+([-._][A-Za-z0-9]+)*$/, "needed the Pillar's name as registered on chain");

/** A systemd service that this program may stop: none of the system's own. */
export const service = word.regex(
  /^(?!(sshd?|dbus|systemd-.*)(\.service)?$)/,
  "needed a service of its own: this is one of the system's",
);

/** Without `.` and `..`, so that each directory has only one path. */
export const directory = text(
  /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+)+$/,
  'needed an absolute path of letters, digits, ".", "_" and "-", without "." or ".." as a folder and without "/" at its end',
  "absolute path",
);

/** Folders of the system, of logins and of this program's own notes, with all below them. */
const systemFolders =
  "\\/(bin|boot|dev|etc|lib\\w*|proc|run|sbin|sys|usr(?!\\/local\\/.)|var\\/lib\\/pillar-host|var\\/log)(\\/|$)|.*\\/\\.ssh(\\/|$)";
const systemNeed = "needed a directory of its own: this is one of the system's";

export const ownDirectory = directory.regex(
  new RegExp(`^(?!\\/(home|lost\\+found|opt|root|srv|tmp|var)$|${systemFolders})`),
  systemNeed,
);

/** A directory into which an archive is unpacked beside what is there. */
export const sharedDirectory = directory.regex(new RegExp(`^(?!\\/(var|home)$|${systemFolders})`), systemNeed);

const v4Part = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
// Not those of no machine: this network, link-local ones such as the metadata service, multicast and broadcast.
const ip = `(?!0\\.|169\\.254\\.|2(2[4-9]|[3-5][0-9])\\.)(${v4Part}\\.){3}${v4Part}|(?![0:]*(:[fF]{4}:.*)?$|[fF]([fF]|[eE][89abAB]))(?=.*:.*:)[0-9A-Fa-f:]+`;
const label = "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?";
// Refuses a name whose last part is a number, which would be read as an old form of IPv4 address.
const hostName = `(?!(.*\\.)?([0-9]+|0[xX][0-9A-Fa-f]*)$)${label}(\\.${label})*`;
const isIPv6IfColon = (address: string) => !address.includes(":") || isIPv6(address);

const addressText = (pattern: string, needed: string, form: string) =>
  text(new RegExp(`^(${pattern})$`), needed, form).refine(isIPv6IfColon, needed);

export const ipAddress = addressText(ip, "needed an IP address: the node refuses names", "IP address");

export const address = addressText(`${ip}|${hostName}`, "needed an IP address or a host name", "IP address or name");

const hostKeyLine = /^([^ ]+ )?((ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)) [A-Za-z0-9+/]+=*)( .*)?$/;

/** Rebuilds an authorized_keys line from the key itself, without its comment. */
export const hostKey = z
  .string()
  .trim()
  // Accepts an address in front, as in a line of ssh-keyscan or known_hosts.
  .regex(hostKeyLine, "needed a line such as `ssh-ed25519 AAAA…` (get it with: ssh-keyscan -t ed25519 ADDRESS)")
  .transform(rebuildLine)
  .refine((line) => line !== undefined, "needed a whole key: this one is truncated, or of another kind than it says")
  .transform((line) => line ?? "")
  .meta({ form: "line as `ssh-ed25519 AAAA…`" });

/** Rebuilds a key's line; undefined if the line has no key, or more than one: ssh2 ignores all but the first. */
function rebuildLine(line: string): string | undefined {
  const bare = hostKeyLine.exec(line)?.[2] ?? "";
  const key = ssh2.utils.parseKey(bare);
  if (key instanceof Error) return undefined;
  const built = `${key.type} ${key.getPublicSSH().toString("base64")}`;
  return built === bare ? built : undefined;
}

/** Builds the schema of a web address, without user and password, since addresses are shown. */
export const webAddress = (needed: string) =>
  z
    .url({ protocol: /^https?$/, hostname: /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$/, message: needed })
    // Printable ASCII: a letter of another alphabet makes another host's name.
    .regex(/^[!-[\]-~]+$/, needed)
    .regex(/^(?![^/?#]*:\/*[^/?#]*@)/, "needed an address without user and password, since it is shown")
    .meta({ form: "URL" });

/** Builds the schema of a download's address, without a token, since it stands in errors and in command lines on the host. */
export const downloadUrl = (what: string) =>
  webAddress(`needed an http or https address of ${what}`).regex(
    /^(?!.*[?&]([^=&#]*[-_])?(api_?key|auth|credential|key|passw(or)?d|secret|sig(nature)?|token)=)/i,
    "needed an address that works without a token or signature, since it is shown",
  );

export const rpcUrl = webAddress("needed the http or https address of a node's RPC");

export const plainUrl = text(
  /^https?:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?(\/[A-Za-z0-9._~/-]*)?$/,
  "needed an http or https address, such as https://go.dev",
  "URL",
);

/** Builds the schema of a download's hash. `what` names the download: `archive`. */
export const requiredSha256 = (what: string) =>
  z
    .string()
    .toLowerCase()
    .regex(/^[0-9a-f]{64}$/, `needed 64 hexadecimal digits (sha256sum of the ${what})`)
    .meta({ form: "64 hexadecimal digits" });

export const releaseVersion = text(
  /^v\d+\.\d+\.\d+$/,
  "needed the version of a release, such as v0.0.10",
  "version",
).meta({ examples: ["v0.0.10"] });

const longest = "365d";

/** Parses a duration such as `90s`, `30m`, `12h` or `7d` into milliseconds. */
export const duration = (atLeast: ms.StringValue) =>
  z
    .string()
    // Requires a unit, in small letters: ms() takes a bare number for milliseconds, and 5M, meant as months, for minutes.
    .transform((text) => (/^\d+(\.\d+)? ?[a-z]+$/.test(text) ? ms(text as ms.StringValue) : 0))
    .refine(
      (value) => value >= ms(atLeast) && value <= ms(longest),
      `needed a duration from ${atLeast} to ${longest}, such as 90s, 12h or 7d`,
    )
    .meta({ form: `duration of at least ${atLeast}` });

export const storeSchema = z
  .string()
  .superRefine((address, context) => {
    const message = findBucketProblem(address);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .optional()
  .meta({
    description:
      "A bucket for event log and backups, so that several machines share them. Its credentials are found as AWS tools find them",
    form: "address of a bucket, as `s3://BUCKET?region=REGION`",
    otherwise: "a directory on this machine",
    see: "unattended.md#records-in-a-bucket",
  });

export const releaseSchema = <Version extends z.ZodType<string | undefined>>(
  what: string,
  file: string,
  version: Version,
  otherwise = "",
) =>
  z
    .strictObject({
      url: downloadUrl(what).describe(`The address of ${what}; https, or http with \`sha256\``),
      sha256: requiredSha256(file)
        .optional()
        .meta({ description: `The hash of the ${file}, from its release page`, otherwise }),
      version,
    })
    .refine(({ url, sha256 }: ReleaseSource) => !/^http:/i.test(url) || sha256 !== undefined, {
      path: ["sha256"],
      message: `needed because the address is plain http: the ${file} runs as root, and anybody on the network path could replace it`,
    });

export interface ReleaseSource {
  readonly url: string;
  readonly sha256?: string | undefined;
  readonly version?: string | undefined;
}

/** Formats a release's marker on the host. If the marker differs, the release is installed again. */
export const formatReleaseMarker = ({ url, sha256, version }: ReleaseSource) =>
  [url, sha256 ?? "any", ...(version === undefined ? [] : [version])].join(" ");
