import { join } from "node:path";
import { startS3 } from "../stack/backends";
import { step } from "../util/progress";
import { type Bench, timeUp } from "./bench";
import { inTurns, pair, seconds } from "./compare";
import { median, type Values } from "./rows";

/**
 * Measures what event log and backups in a bucket, on the operator's machine, add to an `up` that changes nothing. Two
 * hosts, stood up alike, take turns. Both keep the state in a directory.
 */
export async function measureStore(bench: Bench): Promise<Values> {
  const bucket = await startS3(bench.lab);
  const stacks = await step("standing two hosts up, one of them with its records in a bucket", async () => {
    const stand = async (store?: string) => {
      const host = await bench.hostToBe();
      await bench.lab.chain("PATCH", `/nodes/${host.name}`, { behind: 0, connectMs: 0 });
      const config = { sync: { confirmations: 1, confirmSeconds: 0 }, ...(store === undefined ? {} : { store }) };
      const backend = { url: `file://${join(bench.lab.dir, `state-${host.name}`)}`, env: bucket.env };
      const stack = await bench.stackFor(host, config, backend);
      await timeUp(stack);
      return stack;
    };
    return { inBucket: await stand(bucket.url), inDirectory: await stand() };
  });
  const up = async (stack: (typeof stacks)["inBucket"]) => {
    const run = await timeUp(stack);
    if (!/^ *\d+ unchanged$/m.test(run.output)) throw new Error(`this up changed something:\n${run.output}`);
    return run;
  };
  // The first `up` after the stand-up may still report something new.
  await timeUp(stacks.inBucket);
  await timeUp(stacks.inDirectory);
  const rounds = await inTurns(
    bench.rounds,
    "up that changes nothing, with records in a bucket and in a directory",
    (peerFirst) =>
      pair(
        peerFirst,
        () => up(stacks.inBucket),
        () => up(stacks.inDirectory),
      ),
    "in a directory",
  );
  const { ours, peer } = seconds(rounds);
  return { storeAdds: median(rounds.map((round) => round.ours - round.peer)), storeUp: ours, storeNone: peer };
}
