import type { Commands } from "../util/commands";
import { someHostKey } from "../util/commands";
import type { SshTarget } from "./ssh";
import type { LoginError } from "./sshErrors";

/** The server of a stack, as its operator finds it at the provider. */
export interface OwnServer {
  /** As `Hetzner`. */
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  /** Where its screen is shown, in words. */
  readonly console: string;
  /** The networks that its firewall lets through to ssh. */
  readonly sshFrom: readonly string[];
  /** Milliseconds that its first boot may take. */
  readonly startTimeout: number;
  /** This state ordered it; one that was taken over may be anybody's. */
  readonly isOrdered: boolean;
}

/** As `server pillar-anvil-prod (52)`. */
export function nameOf({ name, id }: Pick<OwnServer, "name" | "id">): string {
  return `server ${name} (${id})`;
}

/** How a server that this state ordered, and that nobody ever logged in to, is given up for another one. */
export function beginAnew({ set, remove, up, destroy }: Commands): string {
  return [
    "To delete it and to begin again with another one:",
    `  ${set("lifecycle", "retiring")} && ${up} && ${destroy}`,
    `  ${remove("lifecycle")} && ${up}`,
  ].join("\n  ");
}

/** How the key of a server becomes the pinned one, once it was compared. */
export function pinKey({ set, up }: Commands): string {
  return [
    "Where it is your own, its key as its screen shows it (cat /etc/ssh/ssh_host_ed25519_key.pub):",
    `  ${set("host.hostKey", someHostKey)} && ${up}`,
  ].join("\n  ");
}

/** Where to look at it. */
export function consoleHelp({ console }: Pick<OwnServer, "console">): string {
  return `  Look at its screen: ${console}`;
}

/** What to say of a server with this stack's labels that its state did not order: it may be a live Pillar. */
export function strangerText(
  { provider, id, name, console }: Pick<OwnServer, "provider" | "id" | "name" | "console">,
  address: string | undefined,
  recordedKey: string | undefined,
  run: Commands,
): string {
  return [
    `${nameOf({ name, id })} at ${provider}, ${address ?? "without an address"}: it carries this stack's labels, and this state did not order it: it may be a live Pillar. Nothing was changed`,
    "  found: no host key of it in this state: was the state lost, is this another checkout or another back end?",
    "  needed: the state that ordered it, or pillar-host:host.hostKey, with which it is taken over as it is",
    ...(recordedKey === undefined ? [] : [`  The record of the migration on this machine has its key: ${recordedKey}`]),
    consoleHelp({ console }),
    `  ${pinKey(run)}`,
  ].join("\n");
}

/**
 * What to say of one that does not answer, or shows another host key than the pinned one.
 *
 * @param neverLetIn it was ordered by this state, and no run was on it: nothing can be lost with it
 */
export function ownServerText(
  server: OwnServer,
  { address, port }: Omit<SshTarget, "hostKey">,
  { message, refused, keys, reason = message }: LoginError,
  seconds: number,
  neverLetIn: boolean,
  run: Commands,
): string {
  const { provider, sshFrom, startTimeout } = server;
  const which = `${nameOf(server)} at ${provider}, ${address}`;
  if (refused === "hostKey")
    return [
      `${which}: it shows another host key than the one that this stack pins`,
      ...(keys ? [`  found: ${keys.shown}`, `  needed: ${keys.pinned}`] : []),
      "  Nothing connects to it. Was it rebuilt in the console, or is somebody in between?",
      consoleHelp(server),
      `  ${pinKey(run)}`,
    ].join("\n");
  return [
    `${which}: no login to it is possible`,
    `  found: ${reason}, for ${seconds} s${seconds * 1000 < startTimeout ? "" : " (pillar-host:host.startTimeout)"}`,
    `  needed: a server that has booted, with sshd on port ${port} that can be reached from here`,
    `  Is this machine's address among pillar-host:host.sshFrom (${sshFrom.join(", ")})? See it with: curl -4 https://ifconfig.co`,
    consoleHelp(server),
    `  When it accepts a login, go on with: ${run.up}`,
    ...(neverLetIn ? [`  ${beginAnew(run)}`] : []),
  ].join("\n");
}
