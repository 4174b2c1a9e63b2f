import { isFatal } from "../../core/ssh/sshErrors";
import type { SyncProgress } from "../../core/sync/progress";
import { type GaveUp, waitForSync } from "../../core/sync/waitForSync";
import { CliRefusal } from "../terminal/refusal";
import { decideAttention, decideExitCode } from "./attention";
import { createGateOptions, type HostReader, openHostReader } from "./hostReader";
import type { StackWithHost } from "./openStack";
import { readParts } from "./parts/readParts";
import { createUnknownParts } from "./parts/statusParts";
import type { StackView } from "./stackView";

/** What a look found, the exit code for it, and what kept it from looking. */
export interface StatusReading {
  readonly view: StackView;
  readonly exitCode: number;
  readonly trouble: readonly string[];
}

/** Looks at node, facts and all parts at once, over one connection. @throws Refusal */
export async function readStatus(view: StackView, source: StackWithHost, hostKey: string): Promise<StatusReading> {
  const host = openHostReader(source, hostKey);
  try {
    const [facts, parts, node] = await Promise.all([
      host.readFacts(),
      readParts(source, hostKey, host),
      readSync(source, host),
    ]);
    const { sync, synced, unreachable } = node;
    if (unreachable === undefined) {
      const seen = { ...view, sync, synced, facts, parts };
      return { view: seen, exitCode: decideExitCode(decideAttention(seen), true), trouble: [] };
    }
    // One reason for all of it; what others say of the Pillar is theirs to tell all the same.
    const seen = {
      ...view,
      sync,
      synced,
      parts: { ...createUnknownParts(view.lifecycle, "the host does not answer"), ...keepAnswers(parts) },
    };
    return {
      view: seen,
      exitCode: decideExitCode(decideAttention(seen), false),
      trouble: formatUnreachable(source, unreachable),
    };
  } finally {
    host.close();
  }
}

/** The parts that are known though the host is not. */
function keepAnswers(parts: StackView["parts"]): object {
  return Object.fromEntries(Object.entries(parts ?? {}).filter(([, part]) => part && "value" in part));
}

interface SyncReading {
  readonly sync: SyncProgress | undefined;
  readonly synced: boolean;
  /** Why the host could not be reached. */
  readonly unreachable?: string;
}

/** As the gate does with `sync.wait: check`: as long as the looks are good, at most until it would let pass. */
async function readSync(source: StackWithHost, { deps }: HostReader): Promise<SyncReading> {
  let sync: SyncProgress | undefined;
  const seen = (progress: SyncProgress) => {
    sync = progress;
  };
  try {
    await waitForSync(createGateOptions(source, true), { ...deps, seen, say: () => undefined });
    return { sync, synced: true };
  } catch (error) {
    if (isFatal(error)) throw new CliRefusal((error as Error).message);
    const { gaveUp } = error as Partial<GaveUp>;
    if (!gaveUp) throw error;
    const { last } = gaveUp;
    const unreachable = last?.kind === "none" && last.unreachable === true ? last.reason : undefined;
    return { sync, synced: false, unreachable };
  }
}

function formatUnreachable({ address, config: { ssh } }: StackWithHost, reason: string): string[] {
  return [
    `\n${address} could not be looked at: ${reason}`,
    `  needed: a running host that this machine reaches; try: ssh -p ${ssh.port} ${ssh.user}@${address}`,
  ];
}
