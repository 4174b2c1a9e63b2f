import type ssh2 from "ssh2";
import { firstLine } from "../util/firstLine";
import { printable } from "../util/printable";
import { agentFound, agentKeys } from "./agentKeys";
import { type RefusedError, reasonOf, refusal, type UnreachedError, unreached } from "./sshErrors";

/** Tells how a host is logged in to; plain values, as a provider gets them. */
export interface SshTarget {
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /** An authorized_keys line without comment: type and base64 key. */
  readonly hostKey: string;
  readonly privateKey?: string | undefined;
  readonly privateKeyPassword?: string | undefined;
  readonly password?: string | undefined;
  /** Use the agent at SSH_AUTH_SOCK. */
  readonly agent?: boolean | undefined;
  /** The host through which this one is reached. */
  readonly proxy?: SshTarget | undefined;
}

/** Keys of the configuration that say how a host is logged in to, and which host key it shows, for errors. */
export interface LoginKeys {
  readonly login: string;
  readonly hostKey: string;
}

const ownKeys: LoginKeys = { login: "pillar-host:ssh", hostKey: "pillar-host:host.hostKey" };

/** Returns the keys of a host that one key of the configuration describes, or those of the stack's own host. */
export function loginKeys(configured?: string): LoginKeys {
  return configured === undefined ? ownKeys : { login: configured, hostKey: `${configured}.hostKey` };
}

/** How one login goes: what is tried, and what the host says to it. */
export interface LoginAttempt {
  readonly config: Partial<ssh2.ConnectConfig>;
  /** Makes the error of what ssh2 reports; undefined where the host closed the connection without a word. */
  failure(error?: ReportedError): RefusedError | UnreachedError;
}

type ReportedError = Error & { readonly level?: string; readonly code?: unknown };

/** A host that is full, or goes down: as the ssh protocol numbers the reasons of a disconnection. */
const passing: readonly unknown[] = [7, 10, 12];

/** Prompts for something else than the password. */
const secondFactor = /code|token|otp|verif|factor|duo|pin\b/i;

/** Prepares a login in the order of the command plugin: the key, else the agent; the password; its prompt. */
export function loginAttempt(client: ssh2.Client, target: SshTarget, keys: LoginKeys): LoginAttempt {
  const { privateKey, privateKeyPassword, password } = target;
  const agent = usesAgent(target) ? process.env.SSH_AUTH_SOCK : undefined;
  const said = { banner: "", isPartial: false, offered: [] as readonly string[] };
  const left: ssh2.AuthenticationType[] = [
    "none",
    ...(privateKey ? ["publickey" as const] : []),
    ...(agent ? ["agent" as const] : []),
    ...(password ? (["password", "keyboard-interactive"] as const) : []),
  ];
  client.on("banner", (text) => {
    said.banner = printable(firstLine(text.trim())).slice(0, 200);
  });
  if (password) answerPrompt(client, password);
  return {
    config: {
      // Methods that the host does not offer would count as failures, for which it may ban this machine.
      authHandler: (offered, isPartial, next) => {
        said.offered = offered ?? [];
        said.isPartial ||= isPartial === true;
        const isOffered = (method: ssh2.AuthenticationType) =>
          !offered || offered.includes(method === "agent" ? "publickey" : method);
        for (let method = left.shift(); method !== undefined; method = left.shift())
          if (isOffered(method)) return next(method);
        next(false as never);
      },
      tryKeyboard: true,
      privateKey,
      passphrase: privateKeyPassword,
      password,
      agent,
    },
    failure: (error) => failureOf(target, keys, said, error),
  };
}

/** Answers the one prompt for the password. Others are a second factor, or ask for a new password. */
function answerPrompt(client: ssh2.Client, password: string): void {
  let isAnswered = false;
  const refuse = (words: string) => client.emit("error", Object.assign(new Error(words), { level: "prompt" }));
  client.on("change password", (prompt) => refuse(prompt));
  client.on("keyboard-interactive", (_name, _instructions, _language, prompts, answer) => {
    const words = prompts.map(({ prompt }) => prompt.trim()).join(", ");
    if (isAnswered || prompts.length > 1 || secondFactor.test(words)) return refuse(words);
    isAnswered = true;
    answer([password]);
  });
}

const usesAgent = ({ privateKey, agent }: SshTarget) => privateKey === undefined && agent === true;

function failureOf(
  target: SshTarget,
  keys: LoginKeys,
  said: { readonly banner: string; readonly isPartial: boolean; readonly offered: readonly string[] },
  error?: ReportedError,
): RefusedError | UnreachedError {
  const where = `${target.user}@${target.address}:${target.port}`;
  if (error === undefined) return unreached(where, undefined, said.banner);
  const refused = (what: string, needed = `a key or password that the host accepts (${keys.login})`) =>
    refusal("login", what, { needed: [needed, ...(usesAgent(target) ? agentFound(agentKeys()) : [])].join("\n  ") });
  const words = reasonOf(error);
  const wanted = said.offered.join(", ");
  switch (error.level) {
    case "prompt":
      return refused(
        `${where} asks for more than the password: "${words}"`,
        `a login without a second factor or a prompt, such as a key (${keys.login})`,
      );
    case "agent":
      return refused(`${where}: the ssh agent: ${words}`);
    case "handshake":
      return refused(
        `${where}: no common language with its ssh server: ${words}`,
        `an sshd that offers a key of the pinned kind (${keys.hostKey}), and common algorithms: ssh -vv shows them`,
      );
    case "client-authentication":
      return refused(
        said.isPartial ? `${where} accepts the login, and wants more: ${wanted}` : `${where} refuses the login`,
      );
  }
  // A number is the ssh protocol's: the host ended the login itself. Tried again it would count the failures.
  const isFinal = typeof error.code === "number" && !passing.includes(error.code);
  return isFinal ? refused(`${where} ended the login: "${words}"`) : unreached(where, error);
}
