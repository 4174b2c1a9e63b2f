import { type StdioOptions, spawnSync } from "node:child_process";
import type { Duplex } from "node:stream";
import ssh2 from "ssh2";
import { printable, takeFirstLine } from "../util/printable.ts";
import { ProblemError } from "../util/problem.ts";
import { createTooLargeError } from "../util/sendRequest.ts";
import { createUnreachedError, describeConnectionError, type LoginError } from "./sshErrors.ts";

/** Login of a host, in clear as a provider gets it. Secret. */
export interface SshTarget {
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /** An authorized_keys line without comment: type and base64 key. */
  readonly hostKey: string;
  readonly privateKey?: string | undefined;
  readonly privateKeyPassword?: string | undefined;
  readonly password?: string | undefined;
  readonly agent?: boolean | undefined;
  readonly proxy?: SshTarget | undefined;
  /** Ports on the host that a trial of this login must be able to reach. */
  readonly reaches?: readonly Pick<SshTarget, "address" | "port">[];
}

export type LoginKeys = Readonly<Record<"login" | "hostKey", string>>;

const ownKeys: LoginKeys = { login: "pillar-host:ssh", hostKey: "pillar-host:host.hostKey" };

/** Returns the configuration keys of a host's login and host key: those under `configured`, else the stack's own. */
export function createLoginKeys(configured?: string): LoginKeys {
  return configured === undefined ? ownKeys : { login: configured, hostKey: `${configured}.hostKey` };
}

/** Counts the keys in this shell's ssh agent; 0 if no agent answers. */
export function countAgentKeys(): number {
  const listed = process.env.SSH_AUTH_SOCK ? runSshTool("ssh-add", ["-L"]).trim() : "";
  return listed === "" ? 0 : listed.split("\n").length;
}

/** Returns what a program of this machine's ssh prints; empty if it fails, is missing or takes longer than 5 s. */
export function runSshTool(program: "ssh" | "ssh-add" | "ssh-keygen", args: readonly string[]): string {
  // Pulumi gives its processes all secrets in two variables: no other program needs them.
  const { PULUMI_CONFIG: _config, PULUMI_CONFIG_PASSPHRASE: _phrase, ...env } = process.env;
  const stdio: StdioOptions = ["ignore", "pipe", "ignore"];
  const { status, stdout } = spawnSync(program, args, { encoding: "utf8", timeout: 5000, env, stdio });
  return status === 0 ? stdout : "";
}

/** Most hosts end a login after 6 keys (MaxAuthTries of sshd), and only ssh itself can use keys of these two kinds. */
export const agentNeeds =
  "see the ssh agent's keys with ssh-add -l: the right key must be among the first 5, and no key of a hardware token or certificate";

const maxAgentBytes = 1024 * 1024;
const agentTimeoutMs = 10_000;

/** Opens the ssh agent. One that sends without end, or never begins to list its keys, fails. A signature may wait for its user. */
function openAgent(socketPath: string): ssh2.OpenSSHAgent {
  const agent = ssh2.createAgent(socketPath) as ssh2.OpenSSHAgent;
  const open = agent.getStream.bind(agent);
  let hasAnswered = false;
  const limit = (stream: Duplex) => {
    let size = 0;
    const late = () => stream.destroy(new Error(`it is silent for ${agentTimeoutMs / 1000} s`));
    const timer = hasAnswered ? undefined : setTimeout(late, agentTimeoutMs);
    stream.once("close", () => clearTimeout(timer));
    stream.on("data", (piece: Buffer) => {
      clearTimeout(timer);
      hasAnswered = true;
      size += piece.length;
      if (size > maxAgentBytes) stream.destroy(createTooLargeError("its answer", maxAgentBytes));
    });
  };
  const getStream: typeof open = (use) =>
    open((error, stream) => {
      if (stream) limit(stream);
      use(error, stream);
    });
  return Object.assign(agent, { getStream });
}

type ReportedError = Error & { readonly level?: string; readonly code?: unknown };

/** Disconnection codes (RFC 4253, 11.1) of a host that is full or shuts down. */
const temporaryCodes: readonly unknown[] = [7, 10, 12];

/** Matches a prompt for the password alone. Any other may want a one-time code or a new password. */
const passwordPrompt = /^(\(\S+\) )?((unix|ldap|login|\S+'s) )?password( for \S+)?\s*:?$/i;

/** Answers one hidden prompt for the password, and ends the login at any other. */
function answerPrompt(client: ssh2.Client, password: string): void {
  const left = [password];
  // biome-ignore lint/complexity/useMaxParams: ssh2 calls it with these
  client.on("keyboard-interactive", (_name, _instructions, _language, prompts, answer) => {
    const words = prompts.map(({ prompt }) => prompt.trim()).join(", ");
    const isKnown = prompts.length === 1 && prompts[0]?.echo !== true && passwordPrompt.test(words) && left.length > 0;
    if (prompts.length === 0 || isKnown) answer(left.splice(0, prompts.length));
    else client.emit("error", Object.assign(new Error(words), { level: "prompt" }));
  });
}

/** Prepares a login in the command plugin's order: key or agent, password or the prompt for it. */
export function createLoginAttempt(client: ssh2.Client, target: SshTarget, keys: LoginKeys) {
  const { privateKey, privateKeyPassword, password } = target;
  const socketPath = usesAgent(target) ? process.env.SSH_AUTH_SOCK : undefined;
  const agent = socketPath ? openAgent(socketPath) : undefined;
  const reply: HostReply = { banner: "", isPartial: false, offered: [] };
  const left: ssh2.AuthenticationType[] = [
    "none",
    ...(privateKey ? ["publickey" as const] : []),
    ...(agent ? ["agent" as const] : []),
    ...(password ? (["password", "keyboard-interactive"] as const) : []),
  ];
  if (password) answerPrompt(client, password);
  client.on("banner", (text) => {
    reply.banner = printable(takeFirstLine(text.trim())).slice(0, 200);
  });
  const config: Partial<ssh2.ConnectConfig> = {
    // Skip a method that the host does not offer: it would count as a failed login, and may get this machine banned.
    authHandler: (offered, isPartial, next) => {
      reply.offered = offered ?? [];
      reply.isPartial ||= isPartial === true;
      const isOffered = (method: ssh2.AuthenticationType) =>
        !offered || offered.includes(method === "agent" ? "publickey" : method);
      for (let method = left.shift(); method !== undefined; method = left.shift())
        if (isOffered(method)) {
          // A host that takes a password gets it once, because a wrong one counts.
          if (method === "password") left.length = 0;
          return next(method);
        }
      next(false as never);
    },
    privateKey,
    passphrase: privateKeyPassword,
    password,
    tryKeyboard: true,
    agent,
  };
  return {
    config,
    /** Makes an error from one of ssh2; without `error`, the host has closed the connection. */
    failure: (error?: ReportedError) => createLoginError(target, keys, reply, error),
  };
}

interface HostReply {
  banner: string;
  /** True if the host accepted one method, and wants a second one. */
  isPartial: boolean;
  offered: readonly string[];
}

/** Lines of sshd_config, by the words of ssh2 for what no algorithm matches. */
const algorithmLines: readonly (readonly [RegExp, string])[] = [
  [/key exchange/, "KexAlgorithms +curve25519-sha256"],
  [/cipher/, "Ciphers +aes256-gcm@openssh.com"],
  [/MAC/, "MACs +hmac-sha2-256-etm@openssh.com"],
];

/**
 * Creates the error of a host without a common algorithm; undefined for another error. `type`: the type of the host's
 * key, which the configuration key `hostKey` pins.
 */
export function createAlgorithmError(where: string, error: Error, type: string, hostKey = ownKeys.hostKey) {
  const words = describeConnectionError(error);
  if (!words.includes("no matching")) return undefined;
  const isHostKey = words.includes("host key");
  const file = type.startsWith("ecdsa") ? "ecdsa" : "ed25519";
  const line = algorithmLines.find(([kind]) => kind.test(words))?.[1] ?? "an algorithm of OpenSSH's own list";
  const lines = isHostKey ? [`HostKey /etc/ssh/ssh_host_${file}_key`, `HostKeyAlgorithms +${type}`] : [line];
  const other = "or compare its ed25519 key with the one on its console (ssh-keyscan -t ed25519 prints it), and set";
  return new ProblemError({
    kind: "noAlgorithm",
    what: `${where}: no algorithm in common with its ssh server: ${words}`,
    needed: [
      // Sshd takes the first of two lines for one setting, and a line at the end may belong to a Match block.
      ...lines.map((each) => `put this line at the top of sshd_config on the host: ${each}`),
      isHostKey && "make that key if it is not there, since no RSA host key is taken: ssh-keygen -A",
      "then, on the host: sshd -t && systemctl reload ssh (what it offers now: sshd -T)",
      isHostKey && file === "ecdsa" && `${other} ${hostKey}`,
    ],
  });
}

const usesAgent = ({ privateKey, agent }: SshTarget) => privateKey === undefined && agent === true;

function createLoginError(target: SshTarget, keys: LoginKeys, reply: HostReply, error?: ReportedError): LoginError {
  const where = `${target.user}@${target.address}:${target.port}`;
  if (error === undefined) return createUnreachedError(where, undefined, reply.banner);
  const noAlgorithm = createAlgorithmError(where, error, target.hostKey.split(" ")[0] ?? "", keys.hostKey);
  if (noAlgorithm) return noAlgorithm;
  const words = describeConnectionError(error);
  const reasons: Readonly<Record<string, string>> = {
    agent: `: the ssh agent: ${words}`,
    prompt: ` asks for more than the password: "${words}"`,
    "client-authentication": reply.isPartial
      ? ` accepts the login, but requires more: ${reply.offered.join(", ")}`
      : " refuses the login",
  };
  // A numeric code comes from the ssh protocol: the host ended the login, and would count a retry as another failure.
  const isFinal = typeof error.code === "number" && !temporaryCodes.includes(error.code);
  const what = reasons[error.level ?? ""] ?? (isFinal ? ` ended the login: "${words}"` : undefined);
  if (what === undefined) return createUnreachedError(where, error);
  return new ProblemError({
    kind: "refusedLogin",
    what: `${where}${what}`,
    needed: [`set a key or password that the host accepts (${keys.login})`, usesAgent(target) && agentNeeds],
  });
}
