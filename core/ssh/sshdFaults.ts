const commandsAtOnce = 4;

type SshdSettings = NonNullable<ReturnType<typeof parseSshd>>;

/**
 * Parses the output of sshd_settings: values, and the lines that set them (`file:line:text`). `from`: the address from
 * which the login comes. Undefined if sshd prints no settings.
 */
export function parseSshd(printed: string, user: string, from: string) {
  const values = new Map<string, string[]>();
  const lines: string[] = [];
  for (const line of printed.split("\n")) {
    const [name = "", ...words] = line.split(" ");
    if (line.startsWith("/")) lines.push(line);
    else if (words.length > 0) values.set(name, words);
  }
  return values.has("maxsessions") ? { user, from, values, lines } : undefined;
}

type Rule = readonly [name: string, isGood: (words: readonly string[]) => boolean, needed: string];

const has =
  (...allowed: string[]) =>
  (words: readonly string[]) =>
    words.some((word) => allowed.includes(word));

const forwardingRules = (place: string): readonly Rule[] => [
  ["AllowTcpForwarding", has("yes", "all", "local"), "set AllowTcpForwarding local: the RPC is reached through ssh"],
  ["DisableForwarding", has("no"), "set DisableForwarding no: the RPC is reached through ssh"],
  ["PermitOpen", has("any", place), `set PermitOpen any, or ${place}`],
];

/** Returns the settings that forbid what a move or a copy needs. `place`: address and port to forward to, if any. */
export function findSshdFaults({ user, from, values, lines }: SshdSettings, place: string | undefined) {
  const keys = (words: readonly string[]) => words.some((word) => word.split(",").includes("ssh-ed25519"));
  const rules: readonly Rule[] = [
    ...(place === undefined ? [] : forwardingRules(place)),
    ["MaxSessions", ([count]) => Number(count) >= commandsAtOnce, "set MaxSessions 10"],
    ["ForceCommand", has("none"), "set no ForceCommand: the copy's key has a command of its own"],
    ["PubkeyAuthentication", has("yes"), "set PubkeyAuthentication yes: the copy logs in with a key"],
    ["PubkeyAcceptedAlgorithms", keys, "add ssh-ed25519 to the accepted key types: the copy logs in with such a key"],
    ["PubkeyAcceptedKeyTypes", keys, "add ssh-ed25519 to the accepted key types: the copy logs in with such a key"],
    [
      "AuthorizedKeysFile",
      has(".ssh/authorized_keys", "%h/.ssh/authorized_keys"),
      "add %h/.ssh/authorized_keys to the setting: the copy's key is written to that file",
    ],
    ["AuthenticationMethods", has("any", "publickey"), `set publickey alone for ${from}: no second factor`],
    ["PermitRootLogin", (words) => user !== "root" || !words.includes("no"), `set prohibit-password for ${from}`],
  ];
  return rules.flatMap(([name, isGood, needed]) => {
    const words = values.get(name.toLowerCase());
    if (words === undefined || isGood(words)) return [];
    const where = lines.filter((line) => new RegExp(`:\\s*${name}[\\s=]`, "i").test(line));
    const found = [`${name} ${words.join(" ").slice(0, 200)}`, ...where.map((line) => line.split(":", 2).join(":"))];
    return [{ found: found.join(", "), needed }];
  });
}
