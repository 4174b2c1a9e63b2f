import { step } from "../util/progress.ts";
import { type Bench, timeUp } from "./bench.ts";
import { median, type Round, ratioOf, type Values } from "./rows.ts";

/** Runs the rounds with either first in turns, so that neither always meets the warmer machine. */
export async function inTurns(
  rounds: number,
  title: string,
  round: (peerFirst: boolean) => Promise<Round>,
  peer = "the playbook",
): Promise<Round[]> {
  const done: Round[] = [];
  for (let i = 0; i < rounds; i += 1) {
    const times = await step(`${title}, round ${i + 1} of ${rounds}`, () => round(i % 2 === 1));
    process.stderr.write(`  ours ${times.ours.toFixed(2)} s, ${peer} ${times.peer.toFixed(2)} s\n`);
    done.push(times);
  }
  return done;
}

export async function pair(
  peerFirst: boolean,
  ours: () => Promise<{ seconds: number }>,
  peer: () => Promise<{ seconds: number }>,
): Promise<Round> {
  if (!peerFirst) return { ours: (await ours()).seconds, peer: (await peer()).seconds };
  const { seconds } = await peer();
  return { peer: seconds, ours: (await ours()).seconds };
}

export const seconds = (rounds: readonly Round[]) => ({
  ours: median(rounds.map(({ ours }) => ours)),
  peer: median(rounds.map(({ peer }) => peer)),
});

/** Compares an `up` and a playbook on the same host, with nothing left to do. */
export async function compareUnchanged(bench: Bench): Promise<Values> {
  const { host, stack } = await bench.standing();
  const playbook = async () => {
    const run = await bench.playbook(host);
    if (!/changed=0 .*failed=0/.test(run.output)) throw new Error(`the playbook was not at its end:\n${run.output}`);
    return run;
  };
  const up = async () => {
    const run = await timeUp(stack);
    if (!/^ *\d+ unchanged$/m.test(run.output)) throw new Error(`this up changed something:\n${run.output}`);
    return run;
  };
  // The marker tells the playbook that the host is done; its first run still writes its own files.
  await host.run("mkdir -p /var/lib/pillar-playbook && touch /var/lib/pillar-playbook/synced");
  await bench.playbook(host);
  await up();
  const rounds = await inTurns(bench.rounds, "up and playbook that change nothing", (peerFirst) =>
    pair(peerFirst, up, playbook),
  );
  const { ours, peer } = seconds(rounds);
  return { unchanged: ratioOf(rounds), unchangedUp: ours, unchangedPlaybook: peer };
}

/**
 * Compares `up` and playbook that stand up a fresh host, from start to end of the command. Subtracts no wait: the node
 * has its peers and is synced at once, and the gate needs one good lookup instead of several, like the playbook.
 */
export async function compareStandUps(bench: Bench): Promise<Values> {
  const sync = { confirmations: 1, confirmSeconds: 0 };
  const rounds = await inTurns(bench.rounds, "stand-up and playbook, two fresh hosts", async (peerFirst) => {
    const hosts = await bench.blankHosts(2);
    const [mine, theirs] = hosts;
    if (!mine || !theirs) throw new Error("no hosts");
    for (const { name } of hosts) await bench.lab.chain("PATCH", `/nodes/${name}`, { behind: 0, peerMs: 1 });
    const stack = await bench.stackFor(mine, { sync });
    const times = await pair(
      peerFirst,
      () => timeUp(stack),
      () => bench.playbook(theirs),
    );
    for (const host of hosts) await host.stop({ powerCut: true });
    return times;
  });
  const { ours, peer } = seconds(rounds);
  return { standUp: ratioOf(rounds), standUpUp: ours, standUpPlaybook: peer };
}
