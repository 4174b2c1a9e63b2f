import { type CloudServer, createCloudServer, powerOff } from "../../core/cloud/power.ts";
import type { StackConfig } from "../../core/config/config.ts";
import type { Fence, LogEntry } from "../../core/eventLog/events.ts";
import { computeFingerprint, isOneMachine, isSameHost } from "../../core/ssh/publicKey.ts";
import { type SshTarget, scanHostKey } from "../../core/ssh/ssh.ts";
import { assertProxyWorks, type LoginError } from "../../core/ssh/sshErrors.ts";
import { systemClock } from "../../core/util/clock.ts";
import { hasKind, ProblemError } from "../../core/util/problem.ts";
import { askConfirmation, askText, isTerminal } from "../terminal/prompts.ts";

export interface FenceOptions {
  /** The sentence of {@link formatFenceSentence}. */
  readonly fenced?: string;
  /** True if the operator agrees in advance that the server is switched off. */
  readonly yes?: boolean;
}

/**
 * Finds a lost host's server at a cloud provider in the event log, with the token of the stack that it belongs to.
 * Undefined if that server was rebuilt as the target, which must not be switched off.
 */
export function findServer(
  events: readonly LogEntry[],
  { lost, target }: Readonly<Record<"lost" | "target", Pick<SshTarget, "address" | "hostKey">>>,
  stacks: readonly StackConfig[],
): CloudServer | undefined {
  const [known, own] = [lost, target].map((host) =>
    events.findLast((entry) => entry.event === "host" && isSameHost(entry.details, host)),
  );
  if (known?.event !== "host" || known.details.serverId === undefined) return undefined;
  const { provider, serverId } = known.details;
  if (own?.event === "host" && own.details.provider === provider && own.details.serverId === serverId) return undefined;
  // The token of another stack may be of another project, which has no such server.
  const owner = stacks.find((each) => each.stack === known.stack && each.host.provider === provider);
  return owner && createCloudServer(owner, serverId);
}

/** Formats the sentence by which an operator answers for the fence of a host. */
export const formatFenceSentence = (address: string): string =>
  `${address} is off for good: if it starts again, two orchestrators sign`;

/**
 * Fences a host that does not answer: switches its server off at its provider, and reads that back. Without such a
 * server, or an answer of its provider, the operator's sentence counts. @param onAnswer called if the host answers
 * @throws ProblemError if the host answers, or nobody fences it
 */
export async function fenceHost(
  host: SshTarget,
  server: CloudServer | undefined,
  options: FenceOptions,
  onAnswer: () => Promise<void> = async () => undefined,
): Promise<Fence> {
  const assertSilent = async (needed: string) => {
    if (!(await isAnswering(host))) return;
    await onAnswer();
    throw refuse(`${host.address} still answers, so nothing is restored: two orchestrators would sign`, needed);
  };
  await assertSilent(
    "move the orchestrator instead, because the files on that host are newer than any backup; or, if nobody can log in, switch the host off",
  );
  const fence = { address: host.address, hostKey: computeFingerprint(host.hostKey) };
  if (server !== undefined && (await isOff({ ...server, address: host.address }, options))) {
    await assertSilent(
      `switch this host off: server ${server.id}, which ${server.provider} reports as off, must be another machine`,
    );
    return { ...fence, how: "off", provider: server.provider, serverId: server.id };
  }
  await confirmSentence(formatFenceSentence(host.address), options);
  return { ...fence, how: "sentence" };
}

/** Switches a server off. False if the provider has no such server, or does not answer: neither shows that it is off. */
async function isOff(server: CloudServer, { yes }: FenceOptions): Promise<boolean> {
  const name = `server ${server.id} at ${server.provider}`;
  if (!yes && !(isTerminal() && (await askConfirmation(`Switch ${name} off for good?`))))
    throw refuse(`${name} was not switched off`, "say yes in a terminal, or add --yes");
  try {
    const state = await powerOff(server, systemClock);
    if (state === "off") return true;
    console.log(`${name} is ${state}, as seen with its stack's token: that does not prove that it is off`);
  } catch (error) {
    console.log((error as Error).message);
  }
  return false;
}

async function isAnswering({ address, port, hostKey, proxy }: SshTarget): Promise<boolean> {
  const [type] = hostKey.split(" ");
  const found = await scanHostKey(address, port, proxy, type).catch((error: LoginError) => {
    assertProxyWorks(address, error);
    // An ssh server without the algorithm of the pinned key may be the lost host's, with another configuration.
    return hasKind(error, "noAlgorithm") ? hostKey : undefined;
  });
  return found !== undefined && isOneMachine({ hostKey: found }, { hostKey });
}

async function confirmSentence(sentence: string, { fenced }: FenceOptions): Promise<void> {
  if (fenced === sentence) return;
  const what = "nothing shows that the lost host can't start again";
  if (fenced !== undefined || !isTerminal())
    throw refuse(what, `switch it off, or unplug it; then add --fenced "${sentence}"`);
  console.log("Nothing shows that the lost host can't start again: switch it off, or unplug it.");
  await askText(`Then type: ${sentence}`, { validate: (answer) => answer === sentence || "type that sentence" });
}

const refuse = (what: string, needed: string) => new ProblemError({ what, needed });
