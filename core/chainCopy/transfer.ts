import { nodeDatabases } from "../chain/nodeDatabases.ts";
import { isBroken, type WhichHost } from "../host/rootPair.ts";
import { encodeBase64, parseCopyKey } from "../ssh/foreign.ts";
import type { CallError } from "../ssh/root.ts";
import { hasKind, ProblemError } from "../util/problem.ts";
import { formatSize } from "../util/timeText.ts";
import { minFreeBytes } from "./copyChecks.ts";
import { type CopyFacts, type CopyRun, copyHours, retryIfBroken, stallTimeoutMs } from "./copyHosts.ts";

type Snapshot = Pick<CopyFacts, "height" | "files" | "bytes">;

const retryDelayMs = 5000;
const reportIntervalMs = 30_000;
const pollIntervalMs = 15_000;
const maxRounds = 3;
const limitSeconds = copyHours * 3600;

/** Exit code of chain_copy if the new host takes no more (core/steps/chainCopy/travel.sh). */
const fullCode = 28;

export const engineEnded = "pulumi has ended: the copy stops here; the next run continues from here";

/** Parses lines of a word and an integer. Accepts at most 15 digits, which JavaScript holds exactly. */
function parseNumbers(printed: string): ReadonlyMap<string, number> {
  return new Map(
    printed.split("\n").flatMap((line) => {
      const [, word, number] = /^(\w+) (\d{1,15})\b/.exec(line) ?? [];
      return word === undefined ? [] : [[word, Number(number)] as const];
    }),
  );
}

export async function takeSnapshot(run: CopyRun): Promise<Snapshot> {
  const take = () => run.hosts.call({ side: "old", name: "chain_snapshot", limitSeconds: 1800 });
  const printed = await retryIfBroken(run, take);
  const numbers = parseNumbers(printed);
  const [height, files, bytes] = ["height", "files", "bytes"].map((word) => numbers.get(word));
  if (!/^end$/m.test(printed) || height === undefined || !files || !bytes)
    throw new Error(`${run.inputs.old.host.ssh.address}: its answer about the snapshot was cut off`);
  return { height, files, bytes };
}

/** Allows the new host to fetch the snapshot, and nothing else, for some hours. */
export async function authorizeCopy(run: CopyRun): Promise<void> {
  const printed = await retryIfBroken(run, () => run.hosts.call({ side: "new", name: "chain_key" }));
  const variables = parseCopyKey(printed, run.inputs.new.host.ssh.address, "pillar-host-chain-copy");
  await retryIfBroken(run, () => run.hosts.call({ side: "old", name: "chain_allow", variables }));
}

/**
 * Copies the snapshot, again after each broken connection, until every file has the hash that it has on the old host.
 * Fails as soon as the old host has a problem.
 */
export async function transfer(run: CopyRun, snapshot: Snapshot): Promise<void> {
  const end = new AbortController();
  const signal = AbortSignal.any([end.signal, ...(run.signal ? [run.signal] : [])]);
  try {
    await Promise.race([copyUntilEqual({ ...run, signal }, snapshot), watchOldHost({ ...run, signal })]);
  } finally {
    end.abort();
  }
}

async function copyUntilEqual(run: CopyRun, snapshot: Snapshot): Promise<void> {
  const { inputs, hosts } = run;
  const readHashes = async (side: WhichHost) => {
    const read = () => hosts.call({ side, name: "chain_manifest", limitSeconds });
    return parseHashes(await retryIfBroken(run, read), inputs[side].host.ssh.address);
  };
  const hashes = readHashes("old");
  hashes.catch(() => undefined);
  for (let left = maxRounds; ; left -= 1) {
    await copyFiles(run, snapshot);
    const original = await hashes;
    run.say("hashing the copied files");
    const arrived = await readHashes("new");
    const wrong = [...arrived.keys()].filter((path) => arrived.get(path) !== original.get(path));
    if (wrong.length > 0)
      await hosts.call({
        side: "new",
        name: "chain_remove",
        variables: { retake: encodeBase64(wrong.map((path) => `${path}\0`).join("")) },
      });
    const different = [...original.keys()].filter((path) => arrived.get(path) !== original.get(path));
    if (different.length === 0) return;
    if (left === 1)
      throw new ProblemError({
        what: `the copy on ${inputs.new.host.ssh.address} differs from what ${inputs.old.host.ssh.address} has, after ${maxRounds} copies`,
        found: different.slice(0, 5).map((path) => `${path} differs`),
        needed: "check the disks of both hosts (dmesg), then run the same command again",
      });
    run.say(`${different.length} files differ: copying them again`);
  }
}

/** Copies the files; after a broken connection, only those that are missing. */
async function copyFiles({ hosts, say, ticks, sleep, signal }: CopyRun, snapshot: Snapshot): Promise<void> {
  let saidAt = Number.NEGATIVE_INFINITY;
  let grownAt = ticks();
  let most = -1;
  const hear = (line: string) => {
    const bytes = parseNumbers(line).get("bytes");
    if (bytes === undefined || bytes <= most) return;
    most = bytes;
    grownAt = ticks();
    if (grownAt - saidAt < reportIntervalMs) return;
    saidAt = grownAt;
    say(`${formatSize(bytes)} of ${formatSize(snapshot.bytes)} have arrived`);
  };
  for (;;) {
    try {
      const variables = { total_bytes: snapshot.bytes };
      return await hosts.follow({ side: "new", name: "chain_copy", variables, limitSeconds }, hear);
    } catch (error) {
      const { message } = error as Error;
      const isFull = (error as CallError).exitCode === fullCode;
      // Free the disk at once: the new host's node needs the room, too.
      if (isFull) await hosts.call({ side: "new", name: "chain_discard" });
      if (hasKind(error, "anotherRun") || isFull || signal?.aborted || ticks() - grownAt > stallTimeoutMs) throw error;
      say(`the connection broke, trying again: ${message.split("\n").slice(0, 2).join("; ")}`);
      await sleep(retryDelayMs);
    }
  }
}

const hashLine = new RegExp(`^([0-9a-f]{64}) [ *]((?:${nodeDatabases.join("|")})/[A-Za-z0-9._-]+)$`);

/** Parses the output of chain_manifest. @throws on any other text, because a foreign path could lead anywhere */
export function parseHashes(printed: string, address: string): ReadonlyMap<string, string> {
  const lines = printed.split("\n").filter((line) => line !== "");
  const foreign = lines.find((line) => !hashLine.test(line));
  if (foreign !== undefined)
    throw new ProblemError({
      what: `${address}: the list of the chain's files cannot be read`,
      found: JSON.stringify(foreign.slice(0, 120)),
      needed: `a sha256 and a path below one of ${nodeDatabases.join(", ")}`,
    });
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

/** Watches that the old host's disk never fills up: the snapshot's hard links keep deleted files. Each poll also renews
 * the run's lease there. */
async function watchOldHost({ inputs, hosts, sleep, signal }: CopyRun): Promise<never> {
  for (;;) {
    await sleep(pollIntervalMs);
    if (signal?.aborted) throw new Error(engineEnded);
    const printed = await hosts.call({ side: "old", name: "chain_old_now" }).catch((error: Error) => {
      if (!isBroken(error)) throw error;
      return "";
    });
    const free = parseNumbers(printed).get("free") ?? minFreeBytes;
    if (free < minFreeBytes / 2)
      throw new ProblemError({
        what: `${inputs.old.host.ssh.address} has ${formatSize(free)} free: the copy stops before its node lacks room`,
        needed: `${formatSize(minFreeBytes)} free there`,
      });
  }
}
