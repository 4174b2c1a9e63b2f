import { shellWord } from "./quote";

/** The operator's tool, as it is typed in the program's directory. */
export const tool = "./pillar-host";

/** What is typed for no stack in particular. */
export const anyStack = {
  login: "pulumi login",
  /** To a directory of this machine. */
  loginHere: "pulumi login --local --non-interactive",
  list: "pulumi stack ls",
  whoami: "pulumi whoami -v",
};

interface ConfigWords {
  readonly options?: readonly string[];
  readonly value?: string;
  readonly hasPath?: boolean;
}

/** The commands that act on one stack, as an operator can paste them into a shell. */
export type Commands = ReturnType<typeof commandsFor>;

/**
 * What an operator is told to type comes from here, so that it acts on the stack that the text speaks of, whichever is
 * selected. Keys are those below `pillar-host:`. Names in capitals, as ADDRESS, stand for what the operator fills in.
 */
export function commandsFor(stack: string) {
  const name = shellWord(stack);
  const pillarHost = (command: string, ...options: readonly string[]) => [tool, command, name, ...options].join(" ");
  return {
    // The engine would select the new stack, and commands that name none would then act on it.
    makeStack: `pulumi stack init ${name} --no-select`,
    up: `pulumi up -s ${name}`,
    preview: `pulumi preview -s ${name}`,
    destroy: `pulumi destroy -s ${name}`,
    removeStack: `pulumi stack rm -s ${name}`,
    refresh: `pulumi refresh -s ${name}`,
    ...configCommands(name),
    notifyTest: `${tool} notify --test ${name}`,
    status: (...options: readonly string[]) => pillarHost("status", ...options),
    init: pillarHost("init"),
    next: pillarHost("next"),
    adopt: (address: string, like: string, ...options: readonly string[]) =>
      pillarHost("adopt", address, "--like", shellWord(like), ...options),
    /** Of the stack that the signer goes to. */
    move: (from: string) => pillarHost("move", "--from", shellWord(from)),
    retire: (successor: string) => pillarHost("retire", "--successor", shellWord(successor)),
    /** With the hash of the orchestrator's release to be filled in. */
    moveWithHash: (
      from: string,
      { release, releaseVersion }: { readonly release?: string; readonly releaseVersion?: string },
      options: readonly string[],
    ) =>
      pillarHost(
        "move",
        ...["--from", shellWord(from)],
        ...(release === undefined ? [] : ["--release", shellWord(release)]),
        ...["--release-sha256", "SHA256"],
        ...(releaseVersion === undefined ? [] : ["--release-version", shellWord(releaseVersion)]),
        ...options,
      ),
    backup: pillarHost("backup"),
    check: (...options: readonly string[]) => pillarHost("check", ...options),
    resume: (...options: readonly string[]) => pillarHost("resume", ...options),
    report: (...options: readonly string[]) => pillarHost("report", ...options),
  };
}

function configCommands(name: string) {
  // Without --path the engine takes the dots for a part of the name.
  const config = (verb: string, key: string, { options = [], value, hasPath = true }: ConfigWords = {}) =>
    [
      `pulumi config ${verb}`,
      ...options,
      ...(hasPath ? ["--path"] : []),
      shellWord(`pillar-host:${key}`),
      ...(value === undefined ? [] : [shellWord(value)]),
      `-s ${name}`,
    ].join(" ");
  // --path alone makes a number with a point a text.
  const set = (key: string, value: string | number | boolean) =>
    config("set", key, {
      options: typeof value === "number" && !Number.isInteger(value) ? ["--type float"] : [],
      value: String(value),
    });
  return {
    set,
    /** To what the shell makes of a word, as of `"$(…)"`. */
    setTo: (key: string, word: string) => `${config("set", key)} ${word}`,
    /** A name of digits, which `--path` alone would make a number. */
    setText: (key: string, value: string) => config("set", key, { options: ["--type string"], value }),
    /** Asks for the value, which a command line would show. */
    setSecret: (key: string) => config("set", key, { options: ["--secret"] }),
    setSecretFrom: (key: string, file: string) => `${config("set", key, { options: ["--secret"] })} < ${file}`,
    remove: (key: string) => config("rm", key),
    /** Removes a key that was set without --path, so its name contains dots. */
    removePlain: (key: string) => config("rm", key, { hasPath: false }),
    /** Of a key that is not this program's, whole: as `hcloud:token`. */
    removeForeign: (key: string) => `pulumi config rm ${shellWord(key)} -s ${name}`,
  };
}

/** The key of a host, to be filled in. */
export const someHostKey = "ssh-ed25519 AAAA…";
