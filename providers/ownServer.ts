import type { SshTarget } from "./rpc/ssh";

/** A server that a stack made, as its operator finds it at the provider. */
export interface OwnServer {
  /** As `Hetzner`. */
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  /** Where its screen is shown, in words. */
  readonly console: string;
  /** The networks that its firewall lets in to ssh. */
  readonly sshFrom: readonly string[];
  /** Milliseconds that its first boot may take. */
  readonly startTimeout: number;
}

/** As `server pillar-anvil-prod (52)` (pure). */
export function nameOf({ name, id }: Pick<OwnServer, "name" | "id">): string {
  return `server ${name} (${id})`;
}

/** How a server of this stack is given up for another one (pure). */
export const beginAnew = [
  "To throw it away and begin anew:",
  "  pulumi config set pillar-host:lifecycle retiring && pulumi up && pulumi destroy",
  "  pulumi config rm pillar-host:lifecycle && pulumi up",
].join("\n  ");

/** Where to look at it (pure). */
export function consoleHelp({ console }: Pick<OwnServer, "console">): string {
  return `  Look at its screen: ${console}`;
}

/** What to say of one that does not answer, or shows another host key than its own (pure). */
export function ownServerText(
  server: OwnServer,
  { address, port }: Omit<SshTarget, "hostKey">,
  found: string,
  seconds: number,
): string {
  const { provider, sshFrom, startTimeout } = server;
  const which = `${nameOf(server)} at ${provider}, ${address}`;
  const help = [consoleHelp(server), "  When it lets in: pulumi up goes on from here", `  ${beginAnew}`];
  if (/another host key/.test(found))
    return [
      `${which}: it shows another host key than the one that this stack made for it`,
      ...found.split("\n").slice(1, 3),
      "  Nothing connects to it. Was it rebuilt in the console, or is somebody in between?",
      ...help,
    ].join("\n");
  return [
    `${which}: it does not let in`,
    `  found: ${found.split("\n")[0]?.replace(/^\S+: /, "")}, for ${seconds} s${seconds * 1000 < startTimeout ? "" : " (pillar-host:host.startTimeout)"}`,
    `  needed: a server that has booted, with sshd on port ${port} that can be reached from here`,
    `  Is this machine's address among pillar-host:host.sshFrom (${sshFrom.join(", ")})? See it with: curl -4 https://ifconfig.co`,
    ...help,
  ].join("\n");
}
