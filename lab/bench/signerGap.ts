import { readFile } from "node:fs/promises";
import { onHost } from "../hosts/onHost.ts";
import type { LabHost } from "../lab.ts";
import { setUpOrchestrator, waitForOrchestrator } from "../oldHost/runningOrchestrator.ts";
import { setUpSyncedNode } from "../oldHost/syncedNode.ts";
import { step } from "../util/progress.ts";
import { type Bench, timeUp } from "./bench.ts";
import { moveByHand } from "./byHand.ts";
import { inTurns, pair, seconds } from "./compare.ts";
import { ratioOf, type Values } from "./rows.ts";

const directory = "/root/.orchestrator";
const kept = "/root/kept";

/** Removes the orchestrator and every trace of its moves from a host. */
const forget = `systemctl disable -q --now orchestrator 2> /dev/null || true
rm -rf ${directory}* /var/lib/pillar-host/orchestrator.* /var/lib/pillar-host/manifest.cache`;

/** Restores the old host: the orchestrator runs there, as before any move. */
const signAgain = `${forget}
unit=/etc/systemd/system/orchestrator.service
if [ -e $unit.moved ]; then mv -fT $unit.moved $unit; fi
cp -a ${kept} ${directory}
systemctl daemon-reload; systemctl enable -q --now orchestrator`;

/** Leaves the new host as after the install step (masked), or as after a setup by hand. */
const installed = (masked: boolean) => `${forget}
${masked ? "ln -sfn /dev/null" : "rm -f"} /etc/systemd/system/orchestrator.service
systemctl daemon-reload`;

/** Returns when the unit was last told to stop, in Unix seconds. */
async function stoppedAt(host: LabHost): Promise<number> {
  const found = await onHost(
    host,
    "journalctl -u orchestrator -o short-unix --no-pager | grep ' systemd.*: Stopping ' | tail -n 1 | cut -d ' ' -f 1",
  );
  return Number(found);
}

/**
 * Compares the gap of `up`, with the real engine, and of an operator's bash script with everything ready. It lasts from
 * the stop of the orchestrator by the old host's systemd to the first good getBuildInfo of the new one. Both use the
 * same two hosts and the same 50 MB; stop and start themselves are short and take both the same time.
 */
export async function compareSignerGaps(bench: Bench): Promise<Values> {
  const { lab } = bench;
  const { old, fresh } = await bench.signerHosts();
  const identity = await step("setting a signer up", async () => {
    await lab.chain("PATCH", `/nodes/${fresh.name}`, { behind: 0, rate: 1e6, startRefusedMs: 0 });
    for (const { name } of [old, fresh]) await lab.chain("PATCH", `/orchestrators/${name}`, { stopMs: 300 });
    await setUpSyncedNode(lab, old);
    const { identity } = await setUpOrchestrator(lab, old, {
      extraFiles: { count: 500, bytes: 100_000 },
    });
    await onHost(old, `systemctl stop orchestrator; cp -a ${directory} ${kept}; systemctl start orchestrator`);
    return identity;
  });
  // The old host is reset by hand after each move, so the event log knows a later start: laterThanMove says that this
  // is intended.
  const config = (attempt: number) => ({
    sync: { confirmations: 1, confirmSeconds: 0 },
    oldHost: { address: old.address, hostKey: old.hostKey },
    orchestrator: {
      release: lab.orchestratorRelease(),
      move: true,
      ...(attempt > 1 ? { laterThanMove: attempt - 1 } : { firstMove: "acknowledged" }),
      attempt,
    },
  });
  const stack = await bench.stackFor(fresh, config(1));
  // The first `up` stands the node up; a move needs a synced one.
  await step("standing the new host up", () => timeUp(stack));

  const again = async (masked: boolean) => {
    await onHost(fresh, installed(masked));
    await onHost(old, signAgain);
    await waitForOrchestrator(lab, old, identity);
  };
  let attempt = 0;
  const ours = async () => {
    attempt += 1;
    await again(true);
    await bench.configure(stack, fresh, config(attempt));
    await timeUp(stack);
    const record = await readFile(`${stack.records("Anvil")}/record.jsonl`, "utf8");
    const last = JSON.parse(record.trim().split("\n").at(-1) ?? "{}");
    if (last.event !== "done") throw new Error(`the move was not done: ${JSON.stringify(last)}`);
    const gap = Date.parse(last.details.movedAt) / 1000 - (await stoppedAt(old));
    return { seconds: gap };
  };
  const byHand = async () => {
    await again(false);
    const answered = Number(await onHost(fresh, moveByHand(old.address)));
    return { seconds: answered - (await stoppedAt(old)) };
  };
  // Not measured: it also installs the orchestrator, which an operator has ready.
  await ours();
  await byHand();
  const rounds = await inTurns(
    bench.rounds,
    "the move of a signer",
    (peerFirst) => pair(peerFirst, ours, byHand),
    "by hand",
  );
  const middle = seconds(rounds);
  // The last move's journal would block the rows that follow.
  for (const host of [old, fresh]) await onHost(host, "rm -f /var/lib/pillar-host/orchestrator.*");
  return { signerGap: ratioOf(rounds), signerGapUp: middle.ours, signerGapByHand: middle.peer };
}
