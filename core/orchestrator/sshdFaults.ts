import { BlockList, isIP } from "node:net";
import { commandsFor } from "../util/commands";
import { fault } from "./faultText";
import type { Requirements, SshdSettings } from "./findings";

/** Reads what signer_sshd prints (pure). Undefined where its sshd tells nothing. */
export function parseSshd(printed: string, user: string, from: string): SshdSettings | undefined {
  const values = new Map<string, string[]>();
  const lines: string[] = [];
  for (const line of printed.split("\n")) {
    const [name = "", ...words] = line.split(" ");
    if (line.startsWith("/")) lines.push(line);
    else if (words.length > 0) values.set(name, [...(values.get(name) ?? []), ...words]);
  }
  return values.size === 0 ? undefined : { user, from, values, lines };
}

/** Returns the settings of the old host's sshd that refuse what a move asks of it (pure). */
export function sshdFaults(
  { user, from, values, lines }: SshdSettings,
  { old, rpcPort, stack }: Requirements,
): string[] {
  const has =
    (...allowed: string[]) =>
    (words: readonly string[]) =>
      words.some((word) => allowed.includes(word));
  const names = (words: readonly string[]) => words.some((pattern) => matchesUser(pattern, user, from));
  const keys = (words: readonly string[]) => words.some((word) => word.split(",").includes("ssh-ed25519"));
  const rules: [string, (words: readonly string[]) => boolean, string][] = [
    [
      "AllowTcpForwarding",
      has("yes", "all", "local"),
      "AllowTcpForwarding local: the orchestrator is asked through ssh",
    ],
    ["DisableForwarding", has("no"), "DisableForwarding no: the orchestrator is asked through ssh"],
    ["PermitOpen", has("any", `127.0.0.1:${rpcPort}`), `PermitOpen any, or 127.0.0.1:${rpcPort}`],
    ["MaxSessions", ([count]) => Number(count) >= 4, "MaxSessions 10"],
    ["ForceCommand", has("none"), "no ForceCommand: the copy's key has a command of its own"],
    ["PubkeyAuthentication", has("yes"), "PubkeyAuthentication yes: the copy logs in with a key"],
    ["PubkeyAcceptedAlgorithms", keys, "ssh-ed25519 among them: the copy's key is one"],
    ["PubkeyAcceptedKeyTypes", keys, "ssh-ed25519 among them: the copy's key is one"],
    [
      "AuthorizedKeysFile",
      has(".ssh/authorized_keys", "%h/.ssh/authorized_keys"),
      "%h/.ssh/authorized_keys behind what is there: the copy's key goes there",
    ],
    ["AuthenticationMethods", has("any", "publickey"), `publickey alone for ${from}: the copy has no second factor`],
    ["PermitRootLogin", (words) => user !== "root" || !words.includes("no"), `prohibit-password for ${from}`],
    ["AllowUsers", names, `${user}@${from} among them`],
    ["DenyUsers", (words) => !names(words), `${user}@${from} not among them`],
  ];
  return rules.flatMap(([name, isGood, needed]) => {
    const words = values.get(name.toLowerCase());
    if (words === undefined || isGood(words)) return [];
    const where = lines.filter((line) => new RegExp(`:\\s*${name}[\\s=]`, "i").test(line));
    const found = [`${name} ${words.join(" ").slice(0, 200)}`, ...where.map((line) => line.split(":", 2).join(":"))];
    return [
      fault(
        `${old.address}: its sshd refuses what a move asks of it`,
        found.join(", "),
        needed,
        `Change it there (for ${from} alone: Match Address ${from}), then: systemctl reload ssh. Then run ${commandsFor(stack).up} again.`,
      ),
    ];
  });
}

/** Matches USER or USER@HOST as sshd_config(5) has them; HOST an address, a network, or with * and ?. */
function matchesUser(pattern: string, user: string, from: string): boolean {
  const at = pattern.lastIndexOf("@");
  const [name, host] = at < 0 ? [pattern, "*"] : [pattern.slice(0, at), pattern.slice(at + 1)];
  return isLike(name, user) && (isLike(host, from) || isWithin(host, from));
}

const isLike = (pattern: string, text: string) =>
  new RegExp(
    `^${pattern
      .replace(/[.+^$()|[\]{}\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
  ).test(text);

function isWithin(network: string, address: string): boolean {
  const [base = "", bits] = network.split("/");
  if (bits === undefined || isIP(base) === 0 || isIP(address) !== isIP(base)) return false;
  const list = new BlockList();
  const family = isIP(base) === 6 ? "ipv6" : "ipv4";
  list.addSubnet(base, Number(bits), family);
  return list.check(address, family);
}
