import { quoteShellWord } from "./quote.ts";

/** The program's command line, to be typed in the program's directory. */
export const tool = "./pillar-host";

export const anyStack = {
  login: "pulumi login",
  /** Chooses a directory of this machine as the backend. */
  loginHere: "pulumi login --local --non-interactive",
  list: "pulumi stack ls",
  whoami: "pulumi whoami -v",
  exportState: "pulumi stack export",
};

/** A line of a text. A command stays on one line, so that it can be pasted. */
export type TextLine = string | { readonly command: string };

export const formatTextLine = (line: TextLine): string => (typeof line === "string" ? line : line.command);

export type Commands = ReturnType<typeof commandsFor>;

/**
 * Returns the commands for one stack. Every command that an operator reads comes from here, so that each names its
 * stack and works whichever stack is selected. Keys are below `pillar-host:`; words in capitals are placeholders.
 */
export function commandsFor(stack: string) {
  const name = quoteShellWord(stack);
  const pillarHost = (command: string, ...options: readonly string[]) => [tool, command, name, ...options].join(" ");
  return {
    // Without --no-select the engine selects the new stack, and commands without a stack's name then act on it.
    makeStack: `pulumi stack init ${name} --no-select`,
    up: `pulumi up -s ${name}`,
    destroy: `pulumi destroy -s ${name}`,
    removeStack: `pulumi stack rm -s ${name}`,
    refresh: `pulumi refresh -s ${name}`,
    forget: (urn: string) => `pulumi state delete ${quoteShellWord(urn)} -s ${name}`,
    ...configCommands(name),
    notifyTest: `${tool} notify --test ${name}`,
    status: (...options: readonly string[]) => pillarHost("status", ...options),
    init: pillarHost("init"),
    next: pillarHost("next"),
    adopt: (address: string, like: string, ...options: readonly string[]) =>
      pillarHost("adopt", address, "--like", quoteShellWord(like), ...options),
    /** Runs on the stack that the orchestrator moves to. */
    move: (from: string, ...options: readonly string[]) =>
      pillarHost("move", "--from", quoteShellWord(from), ...options),
    /** Runs on the stack of the host that gets the orchestrator. */
    restore: pillarHost("restore", "--backup", "FILE"),
    restoreFrom: (from: string, ...options: readonly string[]) =>
      pillarHost("restore", "--from", quoteShellWord(from), ...options),
    retire: (successor: string) => pillarHost("retire", "--successor", quoteShellWord(successor)),
    /** Runs on the stack that the Pillar moves to. */
    migrate: (old: string, ...options: readonly string[]) =>
      [tool, "migrate", quoteShellWord(old), name, ...options].join(" "),
    backup: pillarHost("backup"),
    check: (...options: readonly string[]) => pillarHost("check", ...options),
    resume: (...options: readonly string[]) => pillarHost("resume", ...options),
    report: (...options: readonly string[]) => pillarHost("report", ...options),
  };
}

function configCommands(name: string) {
  const config = (...words: readonly string[]) => ["pulumi config", ...words, `-s ${name}`].join(" ");
  const plain = (key: string) => quoteShellWord(`pillar-host:${key}`);
  // Without --path the engine takes the dots as a part of the key's name.
  const path = (key: string) => `--path ${plain(key)}`;
  return {
    set: (key: string, value: string | number | boolean) => {
      // With --path alone the engine stores a decimal number as a text.
      const isDecimal = typeof value === "number" && !Number.isInteger(value);
      return config(isDecimal ? "set --type float" : "set", path(key), quoteShellWord(String(value)));
    },
    /** Sets a key to an expression that the shell expands, such as `"$(…)"`. */
    setTo: (key: string, word: string) => `${config("set", path(key))} ${word}`,
    /** Sets a text of digits, which `--path` alone would store as a number. */
    setText: (key: string, value: string) => config("set --type string", path(key), quoteShellWord(value)),
    /** This command asks for the value, because a command line would show it. */
    setSecret: (key: string) => config("set --secret", path(key)),
    remove: (key: string) => config("rm", path(key)),
    /** Removes a key that was set without --path, so its name contains dots. */
    removePlain: (key: string) => config("rm", plain(key)),
  };
}

export const someHostKey = "ssh-ed25519 AAAA…";
