import { type Commands, someHostKey } from "../util/commands";
import { formatProblem } from "../util/problem";

export interface OwnServer {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
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
      "If the server is yours, pin the key that its console shows (cat /etc/ssh/ssh_host_ed25519_key.pub):",
      `  ${run.set("host.hostKey", someHostKey)} && ${run.up}`,
    ],
  });
}
