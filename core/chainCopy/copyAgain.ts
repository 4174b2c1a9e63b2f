import { computeCopyWord } from "../sync/damagedDatabase.ts";
import { followHeight, type HeightStanding } from "../sync/progress.ts";
import { commandsFor } from "../util/commands.ts";
import { formatDuration } from "../util/timeText.ts";
import type { CopyRun, Standstill } from "./copyHosts.ts";
import type { ChainCopyInputs } from "./copyInputs.ts";
import { engineEnded } from "./transfer.ts";

/**
 * Watches the node of a host that has passed its gate until its height stands still, and compares the confirmation.
 * Returns `keeps`, a reason, if the node keeps its databases: it is synced, its height moves, or the confirmation is for
 * another moment.
 */
export async function watchStandstill(
  run: CopyRun,
  { word, stallAfter }: NonNullable<ChainCopyInputs["again"]>,
  syncedAt: string,
): Promise<Standstill | { readonly keeps: string }> {
  const { inputs, say, sleep, ticks, signal } = run;
  const { set, remove } = commandsFor(inputs.stack);
  const keep = (keeps: string) => ({ keeps });
  const unused = `the confirmation sync.copyAgain was not used. Remove it: ${remove("sync.copyAgain")}`;
  let standing: HeightStanding = { at: ticks(), isStalled: false };
  say(
    `watching the node for ${formatDuration(stallAfter)}: its databases are replaced only if its height stands still`,
  );
  for (;;) {
    const { synced, currentHeight } = await run.readNodeStatus("new");
    if (signal?.aborted) throw new Error(engineEnded);
    if (synced) return keep(`the node is synced; ${unused}`);
    const before = standing.height;
    standing = followHeight(standing, currentHeight, ticks(), stallAfter);
    const { height, isStalled } = standing;
    if (before !== undefined && height !== before)
      return keep(`its height moved from ${before} to ${height}; ${unused}`);
    const needed = computeCopyWord(height, syncedAt);
    const what = height === undefined ? "the node does not answer" : `the node is at height ${height}`;
    if (word !== needed && (height !== undefined || isStalled))
      return keep(
        `the confirmation sync.copyAgain ${word} is for another moment; ${what}. If it stands still: ${set("sync.copyAgain", needed)}`,
      );
    if (isStalled) {
      say(`${what}, for ${formatDuration(stallAfter)}; the copy of its chain is confirmed`);
      return { height };
    }
    await sleep(inputs.momentum);
  }
}
