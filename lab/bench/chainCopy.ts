import { execa } from "execa";
import { copyInputs } from "../chainCopies/inputs";
import type { Slot } from "../doubles/chain";
import { hostNamespace } from "../hosts/network";
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
const momentumSeconds = 2;
const databases = "/root/.znn";
const byHand = "/root/by-hand";

/**
 * Compares the transfer of a chain between hosts with rsync and sha256sum of the same bytes. Every file is hashed on
 * both hosts while the old node runs on. Excludes the wait for a momentum before, and the check and the node's start
 * after. Then measures one copy over a slower link.
 */
export async function compareChainCopies(bench: Bench): Promise<Values> {
  const { old, fresh } = await bench.signerHosts();
  await step("a synced node, and a host without", () => setUp(bench, old, fresh));
  const inputs = await copyInputs(bench.lab, { old, fresh }, { momentum: momentumSeconds * 1000 });
  const ours = () => runChild<{ seconds: number }>(bench.lab, "chainCopyRun.ts", inputs, 7_200_000);
  const rsync = async () => {
    await onHost(fresh, `rm -rf ${byHand} && mkdir ${byHand} && sync`);
    const started = performance.now();
    await onHost(fresh, copyByHand(old.address));
    return { seconds: (performance.now() - started) / 1000 };
  };
  await step("a chain of 1 GB", () => fill(old, 1));
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
    ...(await step(`a copy of ${bench.link.gigabytes} GB at ${bench.link.mbps} Mbit/s`, () =>
      copyOverLink(bench, [old, fresh], ours),
    )),
  };
}

/** Copies once, and compares the time with the link's, the old host's processor with four cores. */
async function copyOverLink(
  { lab, link: { gigabytes, mbps } }: Bench,
  hosts: readonly [old: LabHost, fresh: LabHost],
  copy: () => Promise<{ seconds: number }>,
): Promise<Values> {
  const [old] = hosts;
  await fill(old, gigabytes);
  const limit = ["qdisc", "replace", "dev", "host0", "root", "tbf", "latency", "50ms", "burst", "256k"];
  for (const { name } of hosts)
    await execa("tc", ["-n", hostNamespace(lab.name, name), ...limit, "rate", `${mbps}mbit`]);
  const [since, before] = [Date.now(), await processorSeconds(old)];
  const { seconds } = await copy();
  const used = (await processorSeconds(old)) - before;
  const slots = (await lab.chain<Slot[]>("GET", "/production")).filter(({ at }) => at > since);
  return {
    chainCopyLink: (seconds * mbps) / (gigabytes * 8000),
    chainCopyLinkOurs: seconds,
    chainCopyProcessor: used / (seconds * 4),
    chainCopyMissed: slots.filter(({ nodes }) => nodes.length === 0).length / slots.length,
  };
}

/** Returns the processor time of all ended sessions of a host's sshd: on the old host the whole copy runs in them. */
async function processorSeconds(host: LabHost): Promise<number> {
  const ticks = await onHost(
    host,
    `sleep 1; awk '{ print $16 + $17 }' "/proc/$(systemctl show -p MainPID --value ssh)/stat"`,
  );
  return Number(ticks) / 100;
}

async function setUp(bench: Bench, old: LabHost, fresh: LabHost): Promise<void> {
  await bench.lab.chain("PATCH", "/nodes/old", { startRefusedMs: 0 });
  await bench.lab.chain("PATCH", "/truth", { momentumSeconds });
  const { address } = await setUpSyncedNode(bench.lab, old);
  await bench.lab.chain("PATCH", "/pillars/Anvil", { producerAddress: address });
  await onHost(fresh, `mkdir -p ${databases}`);
  for (const host of [old, fresh]) await onHost(host, "apt-get -qq -y install rsync > /dev/null 2>&1");
}

/** Fills the chain with noise, so that no disk or line gains by compression. */
async function fill(old: LabHost, gigabytes: number): Promise<void> {
  await onHost(
    old,
    `cd ${databases}/nom && rm -f 1??????.ldb && head -c ${gigabytes}GB /dev/zero | openssl enc -aes-128-ctr -pbkdf2 -nosalt -pass pass: |
      split -b ${table} -d -a 6 --additional-suffix=.ldb - 1 && sync`,
  );
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
