import { encodeBase64, markOwn, parseCopyKey } from "../ssh/foreign";
import type { Clock } from "../util/clock";
import { formatProblem } from "../util/problem";
import { formatSize } from "../util/sizeText";
import { formatDuration } from "../util/timeText";
import { minFreeBytes } from "./chainFacts";
import { type CopyError, type CopyHosts, copyHours } from "./copyHosts";
import { findDifferentPaths, findMissingPaths, parseHashes } from "./fileHashes";
import type { ChainCopyInputs } from "./inputs";

interface Snapshot {
  readonly height: number;
  readonly files: number;
  readonly bytes: number;
}

interface TravelDeps extends Pick<Clock, "ticks" | "sleep"> {
  say(line: string): void;
  /** Aborted when the engine is killed, because then nobody waits for the result. */
  readonly signal?: AbortSignal;
}

/** Milliseconds for which a broken connection is retried while no data arrives: a host may reboot. */
const stallTimeoutMs = 15 * 60_000;
const retryDelayMs = 5000;
const reportIntervalMs = 30_000;
const maxRounds = 3;
const limitSeconds = copyHours * 3600;

/** Parses lines of a word and an integer. Accepts at most 15 digits, which JavaScript holds exactly. */
function parseNumbers(printed: string): ReadonlyMap<string, number> {
  return new Map(
    printed.split("\n").flatMap((line) => {
      const [, word, number] = /^(\w+) (\d{1,15})\b/.exec(line) ?? [];
      return word === undefined ? [] : [[word, Number(number)] as const];
    }),
  );
}

export async function takeSnapshot(inputs: ChainCopyInputs, hosts: CopyHosts, deps: TravelDeps): Promise<Snapshot> {
  const printed = await retryIfBroken(deps, () => hosts.call("old", "chain_snapshot", {}, { limitSeconds: 1800 }));
  const numbers = parseNumbers(printed);
  const [height, files, bytes] = ["height", "files", "bytes"].map((word) => numbers.get(word));
  if (!/^end$/m.test(printed) || height === undefined || !files || !bytes)
    throw new Error(`${inputs.old.host.ssh.address}: its answer about the snapshot was cut off`);
  return { height, files, bytes };
}

/** Allows the new host to fetch the snapshot, and nothing else, for some hours. */
export async function authorizeCopy(inputs: ChainCopyInputs, hosts: CopyHosts, deps: TravelDeps): Promise<void> {
  const printed = await retryIfBroken(deps, () => hosts.call("new", "chain_key"));
  const { key, addresses } = parseCopyKey(printed, inputs.new.host.ssh.address, "pillar-host-chain-copy");
  const from = markOwn({ from_addresses: [...addresses, inputs.new.host.ssh.address] });
  await retryIfBroken(deps, () => hosts.call("old", "chain_allow", { public_key: key, ...from }));
}

/**
 * Copies the snapshot, again after each broken connection, until every file has the hash that it has on the old host.
 */
export async function transfer(
  inputs: ChainCopyInputs,
  hosts: CopyHosts,
  snapshot: Snapshot,
  deps: TravelDeps,
): Promise<void> {
  const watch = watchOldHost(inputs, hosts, deps);
  try {
    const hashes = retryIfBroken(deps, () =>
      hosts.call("old", "chain_manifest", markOwn({ base: `${inputs.old.dataDir}/.pillar-host-snapshot` }), {
        limitSeconds,
      }),
    ).then((printed) => parseHashes(printed, inputs.old.host.ssh.address));
    hashes.catch(() => undefined);
    for (let left = maxRounds; ; left -= 1) {
      await watch.until(copyFiles(hosts, snapshot, deps));
      const original = await watch.until(hashes);
      deps.say("hashing the copied files");
      const printed = await watch.until(
        retryIfBroken(deps, () =>
          hosts.call("new", "chain_manifest", markOwn({ base: `${inputs.new.dataDir}/.pillar-host-arriving` }), {
            limitSeconds,
          }),
        ),
      );
      const arrived = parseHashes(printed, inputs.new.host.ssh.address);
      const wrong = findDifferentPaths(arrived, original);
      const missing = findMissingPaths(arrived, original);
      if (wrong.length > 0) {
        const list = encodeBase64(wrong.map((path) => `${path}\0`).join(""));
        await hosts.call("new", "chain_remove", { remove: list });
      }
      const again = wrong.filter((path) => original.has(path));
      if (again.length === 0 && missing.length === 0) return;
      if (left === 1)
        throw new Error(
          formatProblem({
            what: `the copy on ${inputs.new.host.ssh.address} differs from what ${inputs.old.host.ssh.address} has, after ${maxRounds} copies`,
            found: [...again, ...missing].slice(0, 5).map((path) => `${path} differs`),
            needed: "check the disks of both hosts (dmesg), then run the same command again",
          }),
        );
      deps.say(`${again.length + missing.length} files differ: copying them again`);
    }
  } finally {
    watch.end();
  }
}

/** Copies the files; after a broken connection, only those that are missing. */
async function copyFiles(hosts: CopyHosts, snapshot: Snapshot, deps: TravelDeps): Promise<void> {
  let seen: BytesAt[] = [];
  let saidAt = Number.NEGATIVE_INFINITY;
  let grownAt = deps.ticks();
  let most = -1;
  for (;;) {
    const heard = (line: string) => {
      const bytes = parseNumbers(line).get("bytes");
      if (bytes === undefined) return;
      const at = deps.ticks();
      if (bytes > most) grownAt = at;
      most = Math.max(most, bytes);
      seen = [...seen, { at, bytes }].slice(-12);
      if (at - saidAt < reportIntervalMs) return;
      saidAt = at;
      deps.say(formatCopyProgress(seen, snapshot.bytes));
    };
    try {
      await hosts.follow("new", "chain_copy", { total_bytes: snapshot.bytes }, { limitSeconds, heard });
      deps.say(formatCopyProgress(seen.slice(-1), snapshot.bytes));
      return;
    } catch (error) {
      const { message, isTaken } = error as CopyError;
      const isFull = /No space left|sent more than this host accepts/.test(message);
      // Free the disk at once: the new host's node needs the room, too.
      if (isFull) await hosts.call("new", "chain_discard");
      if (isTaken || isFull || deps.signal?.aborted || deps.ticks() - grownAt > stallTimeoutMs) throw error;
      deps.say(`the connection broke, trying again: ${message.split("\n").slice(0, 2).join("; ")}`);
      seen = [];
      await deps.sleep(retryDelayMs);
    }
  }
}

/** Number of copied bytes, and the time of that number, by a clock that never jumps. */
interface BytesAt {
  readonly at: number;
  readonly bytes: number;
}

/** Formats bytes, rate and time left. `seen`: recent readings, oldest first. */
export function formatCopyProgress(seen: readonly BytesAt[], total: number): string {
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last) return "";
  const percent = total > 0 ? Math.min(100, Math.floor((100 * last.bytes) / total)) : 100;
  const line = `${formatSize(last.bytes)} of ${formatSize(total)} (${percent} %)`;
  const seconds = (last.at - first.at) / 1000;
  const rate = seconds > 0 ? (last.bytes - first.bytes) / seconds : 0;
  if (rate <= 0) return line;
  const left = Math.max(0, total - last.bytes) / rate;
  return `${line}, ${((rate * 8) / 1e6).toFixed(1)} Mbit/s, ${formatDuration(left * 1000)} left`;
}

async function retryIfBroken<T>(deps: TravelDeps, work: () => Promise<T>): Promise<T> {
  const end = deps.ticks() + stallTimeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error as CopyError).isBroken || deps.signal?.aborted || deps.ticks() > end) throw error;
      await deps.sleep(retryDelayMs);
    }
  }
}

const pollIntervalMs = 15_000;

/** Watches that the old host's disk never fills up: the snapshot's hard links keep deleted files. Each poll also renews the
 * run's lease there. */
function watchOldHost(inputs: ChainCopyInputs, hosts: CopyHosts, deps: TravelDeps) {
  let ended = false;
  let fail: (error: Error) => void = () => undefined;
  const trouble = new Promise<never>((_, reject) => {
    fail = reject;
  });
  trouble.catch(() => undefined);
  const loop = async () => {
    while (!ended) {
      await deps.sleep(pollIntervalMs);
      if (ended) return;
      if (deps.signal?.aborted)
        return fail(new Error("pulumi has ended: the copy stops here; the next run continues from here"));
      try {
        const free = parseNumbers(await hosts.call("old", "chain_old_now")).get("free") ?? minFreeBytes;
        if (free < minFreeBytes / 2)
          return fail(
            new Error(
              formatProblem({
                what: `${inputs.old.host.ssh.address} has ${formatSize(free)} free: the copy stops before its node lacks room`,
                needed: `${formatSize(minFreeBytes)} free there`,
              }),
            ),
          );
      } catch (error) {
        if (!(error as CopyError).isBroken) return fail(error as Error);
      }
    }
  };
  void loop();
  return {
    /** Waits for work, but fails as soon as the old host has a problem. */
    until: <T>(work: Promise<T>): Promise<T> => Promise.race([work, trouble]),
    end: () => {
      ended = true;
    },
  };
}
