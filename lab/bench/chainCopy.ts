import { copyInputs } from "../chainCopies/inputs";
import type { LabHost } from "../lab";
import { setUpSyncedNode } from "../oldHost/syncedNode";
import { step } from "../util/progress";
import type { Bench } from "./bench";
import { onHost } from "./byHand";
import { runChild } from "./child";
import { inTurns, pair, seconds } from "./compare";
import { ratioOf, type Values } from "./rows";

/** Size of a table as the node's library makes them. */
const table = 2_000_000;
const databases = "/root/.znn";
const byHand = "/root/by-hand";

/** 500 tables are 1 GB. */
const tables = 500;

/**
 * Compares the transfer of a chain between hosts with rsync and sha256sum of the same bytes. Every file is hashed on
 * both hosts while the old node runs on. Excludes the wait for a momentum before, and the check and the node's start
 * after.
 */
export async function compareChainCopies(bench: Bench): Promise<Values> {
  const { old, fresh } = await bench.signerHosts();
  await step("a synced node, and a host without", () => setUp(bench, old, fresh));
  const inputs = await copyInputs(bench.lab, { old, fresh });
  const ours = () => runChild<{ seconds: number }>(bench.lab, "chainCopyRun.ts", inputs, 900_000);
  const rsync = async () => {
    await onHost(fresh, `rm -rf ${byHand} && mkdir ${byHand} && sync`);
    const started = performance.now();
    await onHost(fresh, copyByHand(old.address));
    return { seconds: (performance.now() - started) / 1000 };
  };
  await step("a chain of 1 GB", () => fill(old));
  const stop = await beginAsking(old);
  await rsync();
  const rounds = await inTurns(
    bench.rounds,
    "the copy of a chain of 1 GB",
    (peerFirst) => pair(peerFirst, ours, rsync),
    "rsync",
  );
  const { slowest, longest } = answersOf(await stop());
  const middle = seconds(rounds);
  return {
    chainCopy: ratioOf(rounds),
    chainCopyOurs: middle.ours,
    chainCopyRsync: middle.peer,
    chainCopyAnswer: slowest,
    chainCopyPause: longest,
  };
}

async function setUp(bench: Bench, old: LabHost, fresh: LabHost): Promise<void> {
  await bench.lab.chain("PATCH", "/nodes/old", { startRefusedMs: 0 });
  await bench.lab.chain("PATCH", "/truth", { momentumSeconds: 10 });
  await setUpSyncedNode(bench.lab, old);
  await onHost(fresh, `mkdir -p ${databases}`);
  for (const host of [old, fresh]) await onHost(host, "apt-get -qq -y install rsync > /dev/null 2>&1");
}

/** Fills the chain with noise, from another offset in each table, so that no disk or line gains by compression. */
async function fill(old: LabHost): Promise<void> {
  const filler =
    'open R, "<", "/dev/urandom"; read R, $n, 1 << 20; for (1 .. $ARGV[1]) { open F, ">", sprintf "%s/%06d.ldb", $ARGV[0], 100 + $_; $p = $_ * 997; print F substr substr($n, $p) . $n x 2, 0, $ARGV[2] }';
  await onHost(old, `perl -e '${filler}' ${databases}/nom ${tables} ${table} && sync`);
}

/** Returns a script that copies with rsync and hashes the tables on both hosts at once; the journals still change. */
const copyByHand = (from: string) => `set -e
rsync -a root@${from}:${databases}/nom root@${from}:${databases}/consensus ${byHand}/
hashes="find nom consensus -name '*.ldb' -type f -print0 | sort -z | xargs -0 sha256sum"
ssh root@${from} "cd ${databases} && $hashes" > ${byHand}/theirs &
(cd ${byHand} && eval "$hashes") > ${byHand}/ours
wait $!
cmp ${byHand}/theirs ${byHand}/ours`;

/**
 * Keeps asking the old node, like a client that relies on it.
 * @returns a function that stops and returns the lines for {@link answersOf}
 */
async function beginAsking(old: LabHost): Promise<() => Promise<string>> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"ledger.getFrontierMomentum","params":[]}';
  const ask = `curl -sf -w '\\n%{time_total}' -H 'content-type: application/json' -d "$body" http://127.0.0.1:35997`;
  const asking = `#!/bin/bash
body='${body}'
while sleep 0.5; do
  if said=$(${ask}); then
    echo "$(date +%s.%N) \${said##*$'\\n'} $(grep -oE '"height": *[0-9]+' <<< "$said" | head -n 1 | grep -oE '[0-9]+$')"
  else echo "$(date +%s.%N) 999 0"; fi
done`;
  await old.run("cat > /root/bench-asking", asking);
  await onHost(
    old,
    "systemd-run -q --unit=bench-asking --property=StandardOutput=file:/run/bench-answers bash /root/bench-asking",
  );
  // Waits for more momentums: a short round may have met a single one.
  const met = `[ "$(cut -d ' ' -f 3 /run/bench-answers | sort -u | wc -l)" -ge 4 ]`;
  const wait = `for _ in $(seq 120); do if ${met}; then break; fi; sleep 1; done`;
  return () => onHost(old, `${wait}; systemctl stop bench-asking; cat /run/bench-answers`);
}

/**
 * Parses lines of time, seconds and height into the slowest answer and the longest time between two momentums.
 * @throws if no momentum came in
 */
export function answersOf(lines: string): { readonly slowest: number; readonly longest: number } {
  const answers = lines.split("\n").flatMap((line) => {
    const [time, seconds, height] = line.split(" ").map(Number);
    return time && seconds !== undefined && height ? [{ time, seconds, height }] : [];
  });
  const refused = lines.split("\n").filter((line) => line.endsWith(" 999 0")).length;
  const news = answers.filter(({ height }, at) => at > 0 && height > (answers[at - 1]?.height ?? height));
  const pauses = news.slice(1).map(({ time }, at) => time - (news[at]?.time ?? time));
  if (pauses.length === 0) throw new Error("nothing was measured: the old node took in nothing");
  return {
    slowest: refused > 0 ? 999 : Math.max(...answers.map(({ seconds }) => seconds)),
    longest: Math.max(...pauses),
  };
}
