import { join } from "node:path";
import { execa } from "execa";
import type { Slot } from "../doubles/chain/index.ts";
import { hostNamespace } from "../hosts/network.ts";
import { onHost } from "../hosts/onHost.ts";
import type { LabHost } from "../lab.ts";
import { setUpSyncedNode } from "../oldHost/syncedNode.ts";
import { checkout } from "../toolchain/version.ts";
import { step } from "../util/progress.ts";
import type { Bench } from "./bench.ts";
import { copyInputs } from "./chainCopyInputs.ts";
import { inTurns, pair, seconds } from "./compare.ts";
import { ratioOf, type Values } from "./rows.ts";

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
  const copyRun = [join(checkout, "node_modules/.bin/tsx"), join(import.meta.dirname, "chainCopyRun.ts")];
  const ours = async () => {
    const options = { input: JSON.stringify(inputs), timeout: 7_200_000, stderr: "inherit" } as const;
    return JSON.parse((await bench.lab.run(copyRun, options)).stdout) as { seconds: number };
  };
  const rsync = async () => {
    await onHost(fresh, `rm -rf ${byHand} && mkdir ${byHand} && sync`);
    const started = performance.now();
    await onHost(fresh, copyByHand(old.address));
    return { seconds: (performance.now() - started) / 1000 };
  };
  await step("a chain of 1 GB", () => fill(old, 1));
  await rsync();
  const rounds = await inTurns(
    bench.rounds,
    "the copy of a chain of 1 GB",
    (peerFirst) => pair(peerFirst, ours, rsync),
    "rsync",
  );
  const middle = seconds(rounds);
  return {
    chainCopy: ratioOf(rounds),
    chainCopyOurs: middle.ours,
    chainCopyRsync: middle.peer,
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
