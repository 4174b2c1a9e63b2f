import type { Commands } from "../util/commands.ts";

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
