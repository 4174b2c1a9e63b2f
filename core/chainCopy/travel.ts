import { base64, own, parseCopyKey } from "../ssh/foreign";
import type { Clock } from "../util/clock";
import { formatProblem } from "../util/problem";
import { sizeText } from "../util/sizeText";
import { type BytesAt, progressLine } from "./copyProgress";
import { oldFloor } from "./facts";
import type { ChainCopyInputs } from "./inputs";
import { type FileHashes, missingIn, parseHashes, wrongIn } from "./lists";
import { type ChainSides, copyHours, type SideError } from "./sides";

interface Snapshot {
  readonly height: number;
  readonly files: number;
  readonly bytes: number;
  readonly extra: number;
}

interface TravelDeps extends Pick<Clock, "ticks" | "sleep"> {
  say(line: string): void;
  /** Aborted when the engine is killed, because then nobody waits for the result. */
  readonly signal?: AbortSignal;
}

/** Milliseconds for which a broken connection is retried while no data arrives: a host may reboot. */
const patience = 15 * 60_000;
const pause = 5000;
const sayEvery = 30_000;
const rounds = 3;
const limitSeconds = copyHours * 3600;

/** Parses lines of a word and an integer. Accepts at most 15 digits, which JavaScript holds exactly. */
function numbersIn(printed: string): ReadonlyMap<string, number> {
  return new Map(
    printed.split("\n").flatMap((line) => {
      const [, word, number] = /^(\w+) (\d{1,15})\b/.exec(line) ?? [];
      return word === undefined ? [] : [[word, Number(number)] as const];
    }),
  );
}

export async function takeSnapshot(inputs: ChainCopyInputs, sides: ChainSides, deps: TravelDeps): Promise<Snapshot> {
  const printed = await onceMore(deps, () => sides.call("old", "chain_snapshot", {}, { limitSeconds: 1800 }));
  const numbers = numbersIn(printed);
  const [height, files, bytes, extra] = ["height", "files", "bytes", "extra"].map((word) => numbers.get(word));
  if (!/^end$/m.test(printed) || height === undefined || !files || !bytes)
    throw new Error(`${inputs.old.host.ssh.address}: what it says of its snapshot was cut off`);
  return { height, files, bytes, extra: extra ?? 0 };
}

/** Allows the new host to fetch the snapshot, and nothing else, for some hours. */
export async function giveRight(inputs: ChainCopyInputs, sides: ChainSides, deps: TravelDeps): Promise<void> {
  const printed = await onceMore(deps, () => sides.call("new", "chain_key"));
  const { key, addresses } = parseCopyKey(printed, inputs.new.host.ssh.address, "pillar-host-chain-copy");
  const from = own({ from_addresses: [...addresses, inputs.new.host.ssh.address] });
  await onceMore(deps, () => sides.call("old", "chain_allow", { public_key: key, ...from }));
}

/**
 * Copies the snapshot, again after each broken connection, until every file has the hash that it has on the old host.
 * Returns the hashes, and the most bytes that the old host kept for the copy.
 */
export async function travel(
  inputs: ChainCopyInputs,
  sides: ChainSides,
  snapshot: Snapshot,
  deps: TravelDeps,
): Promise<{ readonly files: FileHashes; readonly extra: number }> {
  const watch = watchOld(inputs, sides, snapshot, deps);
  try {
    const hashes = onceMore(deps, () =>
      sides.call("old", "chain_manifest", own({ base: `${inputs.old.dataDir}/.pillar-host-snapshot` }), {
        limitSeconds,
      }),
    ).then((printed) => parseHashes(printed, inputs.old.host.ssh.address));
    hashes.catch(() => undefined);
    for (let left = rounds; ; left -= 1) {
      await watch.until(bring(sides, snapshot, deps));
      const original = await watch.until(hashes);
      deps.say("hashing what arrived");
      const printed = await watch.until(
        onceMore(deps, () =>
          sides.call("new", "chain_manifest", own({ base: `${inputs.new.dataDir}/.pillar-host-arriving` }), {
            limitSeconds,
          }),
        ),
      );
      const arrived = parseHashes(printed, inputs.new.host.ssh.address);
      const wrong = wrongIn(arrived, original);
      const missing = missingIn(arrived, original);
      if (wrong.length > 0) {
        const list = base64(wrong.map((path) => `${path}\0`).join(""));
        await sides.call("new", "chain_remove", { remove: list });
      }
      const again = wrong.filter((path) => original.has(path));
      if (again.length === 0 && missing.length === 0) return { files: original, extra: watch.most() };
      if (left === 1)
        throw new Error(
          formatProblem({
            what: `the copy on ${inputs.new.host.ssh.address} is not what ${inputs.old.host.ssh.address} has, after ${rounds} copies`,
            found: [...again, ...missing].slice(0, 5).map((path) => `${path} differs`),
            needed: "the same bytes. Is a disk failing (dmesg)?",
          }),
        );
      deps.say(`${again.length + missing.length} files differ: taking them again`);
    }
  } finally {
    watch.end();
  }
}

/** Copies the files; after a broken connection, only those that are missing. */
async function bring(sides: ChainSides, snapshot: Snapshot, deps: TravelDeps): Promise<void> {
  let seen: BytesAt[] = [];
  let saidAt = Number.NEGATIVE_INFINITY;
  let grownAt = deps.ticks();
  let most = -1;
  for (;;) {
    const heard = (line: string) => {
      const bytes = numbersIn(line).get("bytes");
      if (bytes === undefined) return;
      const at = deps.ticks();
      if (bytes > most) grownAt = at;
      most = Math.max(most, bytes);
      seen = [...seen, { at, bytes }].slice(-12);
      if (at - saidAt < sayEvery) return;
      saidAt = at;
      deps.say(progressLine(seen, snapshot.bytes));
    };
    try {
      await sides.follow("new", "chain_copy", { total_bytes: snapshot.bytes }, { limitSeconds, heard });
      deps.say(progressLine(seen.slice(-1), snapshot.bytes));
      return;
    } catch (error) {
      const { message, taken } = error as SideError;
      const isFull = /No space left|sent more than this host accepts/.test(message);
      // Free the disk at once: the new host's node needs the room, too.
      if (isFull) await sides.call("new", "chain_discard");
      if (taken || isFull || deps.signal?.aborted || deps.ticks() - grownAt > patience) throw error;
      deps.say(`cut off, and tried again: ${message.split("\n").slice(0, 2).join("; ")}`);
      seen = [];
      await deps.sleep(pause);
    }
  }
}

async function onceMore<T>(deps: TravelDeps, work: () => Promise<T>): Promise<T> {
  const end = deps.ticks() + patience;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error as SideError).broken || deps.signal?.aborted || deps.ticks() > end) throw error;
      await deps.sleep(pause);
    }
  }
}

const lookEvery = 15_000;

/** Watches that the snapshot's links never fill the old host's disk. Each poll also renews the run's lease there. */
function watchOld(inputs: ChainCopyInputs, sides: ChainSides, snapshot: Snapshot, deps: TravelDeps) {
  let most = snapshot.extra;
  let ended = false;
  let fail: (error: Error) => void = () => undefined;
  const trouble = new Promise<never>((_, reject) => {
    fail = reject;
  });
  trouble.catch(() => undefined);
  const loop = async () => {
    while (!ended) {
      await deps.sleep(lookEvery);
      if (ended) return;
      if (deps.signal?.aborted)
        return fail(new Error("the engine is gone: the copy stops here; the next run goes on from here"));
      try {
        const numbers = numbersIn(await sides.call("old", "chain_old_now"));
        most = Math.max(most, numbers.get("extra") ?? 0);
        const free = numbers.get("free") ?? oldFloor;
        if (free < oldFloor / 2)
          return fail(
            new Error(
              `${inputs.old.host.ssh.address} has ${sizeText(free)} free: the copy is given up before its node lacks room\n  found: ${sizeText(most)} kept for the copy\n  needed: ${sizeText(oldFloor)} free there`,
            ),
          );
      } catch (error) {
        if (!(error as SideError).broken) return fail(error as Error);
      }
    }
  };
  void loop();
  return {
    /** Waits for work, but fails as soon as the old host has a problem. */
    until: <T>(work: Promise<T>): Promise<T> => Promise.race([work, trouble]),
    most: () => most,
    end: () => {
      ended = true;
    },
  };
}
