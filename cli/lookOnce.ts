import { type GaveUp, waitForSync } from "../providers/gate/waitForSync";
import { isFatal } from "../providers/rpc/ssh";
import { gateOptions, openHost } from "./hostLook";
import { couldNot, Refusal } from "./refusal";
import type { Source } from "./source";
import type { View } from "./view";

/** What a look found, the exit code for it, and what kept it from looking. */
export interface Looked {
  readonly view: View;
  readonly exitCode: number;
  readonly trouble: readonly string[];
}

/** Looks as the gate does with `sync.wait: check`: as long as the looks are good, at most until it would let pass. */
export async function lookOnce(view: View, source: Source, hostKey: string): Promise<Looked> {
  const { world, readFacts } = openHost(source, hostKey);
  let sync: string | undefined;
  const seen = (line: string) => {
    sync = line;
  };
  const facts = readFacts();
  try {
    await waitForSync(gateOptions(source, true), {
      ...world,
      seen,
      say: () => undefined,
      isWanted: () => true,
    });
    return { view: { ...view, sync, synced: true, facts: await facts }, exitCode: 0, trouble: [] };
  } catch (error) {
    if (isFatal(error)) throw new Refusal((error as Error).message);
    const { gaveUp } = error as Partial<GaveUp>;
    if (!gaveUp) throw error;
    const { last } = gaveUp;
    const unreachable = last?.kind === "none" && last.unreachable === true;
    const seenNow = { ...view, sync, facts: unreachable ? undefined : await facts };
    return unreachable
      ? { view: seenNow, exitCode: couldNot, trouble: unreachableText(source, last.reason) }
      : { view: seenNow, exitCode: 1, trouble: [] };
  } finally {
    world.client.close();
  }
}

function unreachableText({ address, config: { ssh } }: Source, reason: string): string[] {
  return [
    `\n${address} could not be looked at: ${reason}`,
    `  needed: a running host that this machine reaches; try: ssh -p ${ssh.port} ${ssh.user}@${address}`,
  ];
}
