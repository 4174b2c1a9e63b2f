import { type Commands, someHostKey } from "../util/commands";
import { formatProblem } from "../util/problem";
import type { SshTarget } from "./ssh";
import type { LoginError } from "./sshErrors";

export interface OwnServer {
  /** Name such as `Hetzner`. */
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  /** Instructions for opening the server's console. */
  readonly console: string;
  /** Networks that its firewall admits to ssh. */
  readonly sshFrom: readonly string[];
  /** Milliseconds for its first boot. */
  readonly startTimeout: number;
  /** True if this stack ordered the server. An imported server may have had another use. */
  readonly isOrdered: boolean;
}

export function createServerName({ name, id }: Pick<OwnServer, "name" | "id">): string {
  return `server ${name} (${id})`;
}

/** Formats how to replace a server that nobody ever logged in to. */
export function beginAnew({ set, remove, up, destroy }: Commands): string {
  return [
    "To delete it and to begin again with another one:",
    `  ${set("lifecycle", "retiring")} && ${up} && ${destroy}`,
    `  ${remove("lifecycle")} && ${up}`,
  ].join("\n  ");
}

function pinKey({ set, up }: Commands): string {
  return [
    "If the server is yours, pin the key that its console shows (cat /etc/ssh/ssh_host_ed25519_key.pub):",
    `  ${set("host.hostKey", someHostKey)} && ${up}`,
  ].join("\n  ");
}

export function formatConsoleHelp({ console }: Pick<OwnServer, "console">): string {
  return `Open its console: ${console}`;
}

/** Formats the error about a server with this stack's labels that its state did not order: it may be a live Pillar. */
export function formatOtherMachine(
  { provider, id, name, console }: Pick<OwnServer, "provider" | "id" | "name" | "console">,
  address: string | undefined,
  recordedKey: string | undefined,
  run: Commands,
): string {
  return formatProblem({
    what: `${createServerName({ name, id })} at ${provider}, ${address ?? "without an address"}: it carries this stack's labels, and this state did not order it: it may be a live Pillar. Nothing was changed`,
    found: "no host key of the server in this stack's state: was the state lost, is this another checkout or back end?",
    needed: "restore the state that ordered it, or set pillar-host:host.hostKey to adopt the server as it is",
    next: [
      recordedKey !== undefined && `The event log on this machine has its key: ${recordedKey}`,
      formatConsoleHelp({ console }),
      pinKey(run),
    ],
  });
}

interface ServerLoginFailure {
  readonly target: Omit<SshTarget, "hostKey">;
  readonly error: LoginError;
  /** Seconds for which the login was tried. */
  readonly seconds: number;
  /** True if this state ordered the server, and no run ever logged in: nothing can be lost with it. */
  readonly isUnused: boolean;
}

/** Formats the error about a server that does not answer, or shows another host key than the pinned one. */
export function formatOwnServer(
  server: OwnServer,
  { target: { address, port }, error, seconds, isUnused }: ServerLoginFailure,
  run: Commands,
): string {
  const { message, refused, keys, reason = message } = error;
  const { provider, sshFrom, startTimeout } = server;
  const which = `${createServerName(server)} at ${provider}, ${address}`;
  if (refused === "hostKey")
    return formatProblem({
      what: `${which}: it shows another host key than the one that this stack pins`,
      found: keys?.shown,
      needed: keys?.pinned,
      next: [
        "This program does not connect to it. Was the server rebuilt in the provider's console, or does somebody intercept the connection?",
        formatConsoleHelp(server),
        pinKey(run),
      ],
    });
  return formatProblem({
    what: `${which}: no login to it is possible`,
    found: `${reason}, for ${seconds} s${seconds * 1000 < startTimeout ? "" : " (pillar-host:host.startTimeout)"}`,
    needed: `wait until the server has booted, and make its sshd reachable from here on port ${port}`,
    next: [
      `Is this machine's address among pillar-host:host.sshFrom (${sshFrom.join(", ")})? See it with: curl -4 https://ifconfig.co`,
      formatConsoleHelp(server),
      `Once it accepts a login, continue with: ${run.up}`,
      isUnused && beginAnew(run),
    ],
  });
}
