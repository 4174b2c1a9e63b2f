import { isFatal } from "../../core/ssh/sshErrors";
import type { SyncProgress } from "../../core/sync/progress";
import { type GaveUp, waitForSync } from "../../core/sync/waitForSync";
import { CliRefusal } from "../terminal/refusal";
import { exitCodeOf, needsOf } from "./attention";
import { gateOptions, type HostReader, openHost } from "./hostReader";
import type { Source } from "./openStack";
import { lookAtParts } from "./parts/readParts";
import { noParts } from "./parts/statusParts";
import type { View } from "./stackView";

/** What a look found, the exit code for it, and what kept it from looking. */
export interface Looked {
  readonly view: View;
  readonly exitCode: number;
  readonly trouble: readonly string[];
}

/** Looks at node, facts and all parts at once, over one connection. @throws Refusal */
export async function lookOnce(view: View, source: Source, hostKey: string): Promise<Looked> {
  const host = openHost(source, hostKey);
  try {
    const [facts, parts, node] = await Promise.all([
      host.readFacts(),
      lookAtParts(source, hostKey, host),
      lookAtSync(source, host),
    ]);
    const { sync, synced, unreachable } = node;
    if (unreachable === undefined) {
      const seen = { ...view, sync, synced, facts, parts };
      return { view: seen, exitCode: exitCodeOf(needsOf(seen), true), trouble: [] };
    }
    // One reason for all of it; what others say of the Pillar is theirs to tell all the same.
    const seen = {
      ...view,
      sync,
      synced,
      parts: { ...noParts(view.lifecycle, "the host does not answer"), ...told(parts) },
    };
    return { view: seen, exitCode: exitCodeOf(needsOf(seen), false), trouble: unreachableText(source, unreachable) };
  } finally {
    host.close();
  }
}

/** The parts that are known though the host is not. */
function told(parts: View["parts"]): object {
  return Object.fromEntries(Object.entries(parts ?? {}).filter(([, part]) => part && "value" in part));
}

interface SyncLook {
  readonly sync: SyncProgress | undefined;
  readonly synced: boolean;
  /** Why the host could not be reached. */
  readonly unreachable?: string;
}

/** As the gate does with `sync.wait: check`: as long as the looks are good, at most until it would let pass. */
async function lookAtSync(source: Source, { deps }: HostReader): Promise<SyncLook> {
  let sync: SyncProgress | undefined;
  const seen = (progress: SyncProgress) => {
    sync = progress;
  };
  try {
    await waitForSync(gateOptions(source, true), { ...deps, seen, say: () => undefined });
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

function unreachableText({ address, config: { ssh } }: Source, reason: string): string[] {
  return [
    `\n${address} could not be looked at: ${reason}`,
    `  needed: a running host that this machine reaches; try: ssh -p ${ssh.port} ${ssh.user}@${address}`,
  ];
}
