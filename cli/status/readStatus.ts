import { isFatal } from "../../core/ssh/sshErrors";
import type { SyncProgress } from "../../core/sync/progress";
import { type GiveUpError, waitForSync } from "../../core/sync/waitForSync";
import { formatProblem } from "../../core/util/problem";
import { CliRefusal, refusalExitCode } from "../terminal/refusal";
import { decideAttention, decideExitCode } from "./attention";
import { createGateOptions, type HostReader, openHostReader } from "./hostReader";
import type { StackWithHost } from "./openStack";
import type { ReadStack } from "./overview";
import { readParts } from "./parts/readParts";
import { createUnknownParts } from "./parts/statusParts";
import type { StackView } from "./stackView";

/** Reads node, facts and all parts at once, over one connection. @throws CliRefusal */
export async function readStatus(
  view: StackView,
  source: StackWithHost,
  hostKey: string,
): Promise<Omit<ReadStack, "stack">> {
  const host = openHostReader(source, hostKey);
  try {
    const [facts, parts, reading] = await Promise.all([
      host.readFacts(),
      readParts(source, hostKey, host),
      readSync(source, host),
    ]);
    const { sync, synced, unreachable } = reading;
    if (unreachable === undefined) {
      const current = { ...view, sync, synced, facts, parts };
      return { view: current, exitCode: decideExitCode(decideAttention(current)), lines: [] };
    }
    // The host's own parts get one reason; the answers of other nodes stay.
    const otherParts = { ...createUnknownParts(view.lifecycle, "the host does not answer"), ...keepAnswers(parts) };
    const current = { ...view, sync, synced, parts: otherParts };
    return { view: current, exitCode: refusalExitCode, lines: formatUnreachable(source, unreachable) };
  } finally {
    host.close();
  }
}

export function keepAnswers(parts: StackView["parts"]): object {
  // The newer release is a plain text.
  const isAnswered = (part: unknown) =>
    typeof part === "string" || (typeof part === "object" && part && "value" in part);
  return Object.fromEntries(Object.entries(parts ?? {}).filter(([, part]) => isAnswered(part)));
}

interface SyncReading {
  readonly sync: SyncProgress | undefined;
  readonly synced: boolean;
  readonly unreachable?: string;
}

/** Reads the sync like the gate with `sync.wait: check`: until the proof, or the first lookup that is not good. */
async function readSync(source: StackWithHost, { deps }: HostReader): Promise<SyncReading> {
  let sync: SyncProgress | undefined;
  const seen = (progress: SyncProgress) => {
    sync = progress;
  };
  try {
    await waitForSync(createGateOptions(source, "check"), { ...deps, seen, say: () => undefined });
    return { sync, synced: true };
  } catch (error) {
    if (isFatal(error)) throw new CliRefusal((error as Error).message);
    const { gaveUp } = error as Partial<GiveUpError>;
    if (!gaveUp) throw error;
    const { last } = gaveUp;
    const unreachable = last?.kind === "none" && last.unreachable === true ? last.reason : undefined;
    return { sync, synced: false, unreachable };
  }
}

function formatUnreachable({ address, config: { ssh } }: StackWithHost, reason: string): string[] {
  const needed = `start the host, or fix the connection; try: ssh -p ${ssh.port} ${ssh.user}@${address}`;
  return [formatProblem({ what: `\n${address} could not be reached: ${reason}`, needed })];
}
