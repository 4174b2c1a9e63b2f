import { readFile } from "node:fs/promises";
import type { PlainRow } from "../../cli/check/checkRow";
import type { LabHost } from "../lab";
import { setUpOrchestrator, waitForOrchestrator } from "../oldHost/runningOrchestrator";
import { setUpSyncedNode } from "../oldHost/syncedNode";
import type { LabStack } from "../stack/stack";
import { step } from "../util/progress";
import { askJson, type Bench, timeUp } from "./bench";
import { moveByHand, onHost } from "./byHand";
import { inTurns, pair, seconds } from "./compare";
import { median, type RowName, ratioOf, type Values } from "./rows";

const directory = "/root/.orchestrator";
const kept = "/root/kept";

/** All of the signer and of its move leaves a host. */
const forget = `systemctl disable -q --now orchestrator 2> /dev/null || true
rm -rf ${directory}* /var/lib/pillar-host/orchestrator.* /var/lib/pillar-host/manifest.cache`;

/** As it was before any move: it signs on the old host. */
const signAgain = `${forget}
unit=/etc/systemd/system/orchestrator.service
if [ -e $unit.moved ]; then mv -fT $unit.moved $unit; fi
cp -a ${kept} ${directory}
systemctl daemon-reload; systemctl enable -q --now orchestrator`;

/** As the install step leaves the new host, or as the initial setup by hand does. */
const installed = (masked: boolean) => `${forget}
${masked ? "ln -sfn /dev/null" : "rm -f"} /etc/systemd/system/orchestrator.service
systemctl daemon-reload`;

/** When the unit was last told to stop, unix seconds. */
async function stoppedAt(host: LabHost): Promise<number> {
  const found = await onHost(
    host,
    "journalctl -u orchestrator -o short-unix --no-pager | grep ' systemd.*: Stopping ' | tail -n 1 | cut -d ' ' -f 1",
  );
  return Number(found);
}

/** What `check` says of the gap before a move; both ends, since a move before it has told the start. */
async function forecast(stack: LabStack): Promise<{ least: number; most: number }> {
  const { told, output } = await askJson<{ readonly rows: readonly PlainRow[] }>(stack, ["check", stack.name]);
  const { least, most } = told.rows.find(({ gapSeconds }) => gapSeconds)?.gapSeconds ?? {};
  if (least === undefined || most === undefined) throw new Error(`check forecast no gap with both ends:\n${output}`);
  return { least, most };
}

/** What `check` said before a move, and what came; seconds. */
export interface Forecast {
  readonly least: number;
  readonly most: number;
  readonly gap: number;
}

/** The goal is nine moves of ten: of fewer it can't be told. */
export const leastMoves = 10;

/** What came of the forecasts. @throws where they are too few to tell */
export function forecastsMet(forecasts: readonly Forecast[], least: number): Values {
  if (forecasts.length < least) throw new Error(`${forecasts.length} moves had a forecast, needed ${least}`);
  return {
    forecastMissed: forecasts.filter(({ least, most, gap }) => gap < least || gap > most).length / forecasts.length,
    forecastMoves: forecasts.length,
    forecastLeast: median(forecasts.map(({ least }) => least)),
    forecastMost: median(forecasts.map(({ most }) => most)),
  };
}

/**
 * From the moment in which the old host's systemd stops the signer to the first good getBuildInfo of the new one, the
 * same two hosts and the same 50 MB for both: the real engine's `up`, whole, and the bash script of an operator who has
 * everything ready. What stopping and starting themselves take is the same for both, and short. Before each `up`, `check`
 * forecasts its gap; where forecasts are asked for, further moves come until they are enough to tell.
 */
export async function compareSignerGaps(bench: Bench, only: readonly RowName[]): Promise<Values> {
  const { lab } = bench;
  const { old, fresh } = await bench.signerHosts();
  const identity = await step("setting a signer up", async () => {
    await lab.chain("PATCH", `/nodes/${fresh.name}`, { behind: 0, rate: 1e6, connectMs: 0, startRefusedMs: 0 });
    for (const { name } of [old, fresh]) await lab.chain("PATCH", `/orchestrators/${name}`, { stopMs: 300 });
    await setUpSyncedNode(lab, old);
    const { identity } = await setUpOrchestrator(lab, old, {
      extraFiles: { count: bench.size(500, 50), bytes: 100_000 },
    });
    await onHost(old, `systemctl stop orchestrator; cp -a ${directory} ${kept}; systemctl start orchestrator`);
    return identity;
  });
  // The old host is put back by hand after each move, and the record knows the later start: the operator's word, then.
  const config = (attempt: number) => ({
    sync: { confirmations: 1, confirmSeconds: 0 },
    orchestrator: {
      release: lab.orchestratorRelease(),
      migrateFrom: {
        address: old.address,
        hostKey: old.hostKey,
        ...(attempt > 1 ? { laterThanMove: attempt - 1 } : { firstMove: "acknowledged" }),
      },
      attempt,
    },
  });
  const stack = await bench.stackFor(fresh, config(1));
  // The first one stands the node up; a move begins with a synced one.
  await step("standing the new host up", () => timeUp(stack));

  const again = async (masked: boolean) => {
    await onHost(fresh, installed(masked));
    await onHost(old, signAgain);
    await waitForOrchestrator(lab, old, identity);
  };
  let attempt = 0;
  const forecasts: Forecast[] = [];
  const ours = async () => {
    attempt += 1;
    await again(true);
    await bench.configure(stack, fresh, config(attempt));
    // The first move has none before it that tells how long a start takes.
    const told = attempt === 1 ? undefined : await forecast(stack);
    await timeUp(stack);
    const record = await readFile(`${stack.records("Anvil")}/record.jsonl`, "utf8");
    const last = JSON.parse(record.trim().split("\n").at(-1) ?? "{}");
    if (last.event !== "done") throw new Error(`the move was not done: ${JSON.stringify(last)}`);
    const gap = Date.parse(last.details.movedAt) / 1000 - (await stoppedAt(old));
    if (told) {
      forecasts.push({ ...told, gap });
      process.stderr.write(`  forecast ${told.least} s to ${told.most} s, came ${gap.toFixed(2)} s\n`);
    }
    return { seconds: gap };
  };
  const byHand = async () => {
    await again(false);
    const answered = Number(await onHost(fresh, moveByHand(old.address)));
    return { seconds: answered - (await stoppedAt(old)) };
  };
  // It installs the orchestrator, which an operator has ready, too.
  await ours();
  await byHand();
  const rounds = await inTurns(
    bench.rounds,
    "the move of a signer",
    (peerFirst) => pair(peerFirst, ours, byHand),
    "by hand",
  );
  const middle = seconds(rounds);
  const gaps = { signerGap: ratioOf(rounds), signerGapUp: middle.ours, signerGapByHand: middle.peer };
  if (!only.some((row) => row.startsWith("forecast"))) return gaps;
  const moves = bench.size(leastMoves, 1);
  while (forecasts.length < moves) await step(`a move with a forecast, ${forecasts.length + 1} of ${moves}`, ours);
  // A journal of the last move would refuse the rows that come after.
  for (const host of [old, fresh]) await onHost(host, "rm -f /var/lib/pillar-host/orchestrator.*");
  return { ...gaps, ...forecastsMet(forecasts, moves) };
}
