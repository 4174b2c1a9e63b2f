import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { backupDirectory } from "../core/settings/orchestratorPlaces";
import { bucketFault, bucketPlace, placeInBucket } from "../core/store/bucketPlace";
import { type BucketStore, bucketStore } from "../core/store/bucketStore";
import { directoryStore, eventLogFile } from "../core/store/directoryStore";
import { markMoved, movedTo } from "../core/store/moved";
import { meantPlace, ownIdentityFile } from "../core/store/places";
import { commandsFor } from "../core/util/commands";
import { printableLines } from "../core/util/printable";
import { configurationOf } from "./configuration";
import { createEngine } from "./engine";
import { CliRefusal } from "./refusal";

/**
 * Brings a Pillar's event log, backups and records of orders from this machine into a bucket. The log here is set aside only when all of it was
 * read there again, the same. Killed anywhere, it goes on when it is run again.
 *
 * @returns the exit code
 * @throws Refusal, or storeFault, with nothing set aside
 */
export async function moveStore(stack: string, address: string): Promise<number> {
  const fault = bucketFault(address);
  if (fault !== undefined) throw new CliRefusal(`the address of the store ${fault}`);
  const config = configurationOf(stack, await createEngine(stack).read(["config", "--json", "--show-secrets"]));
  const { pillar, orchestrator } = config;
  if (orchestrator.backup.directory !== undefined)
    throw new CliRefusal(ownDirectoryText(stack, orchestrator.backup.directory));
  const directory = meantPlace(backupDirectory({ ...config, store: undefined }));
  const before = movedTo(directory);
  if (before !== undefined && before !== address) throw new CliRefusal(elsewhereText(stack, before, address));
  const place = bucketPlace(placeInBucket(address, pillar.name));
  const open = () => bucketStore(place, directory);

  const own = await directoryStore(directory).lines();
  const brought = await bringLines(own, open());
  const files = await bringFiles(directory, open());
  await bringOrders(directory, open());
  const missed = notIn(own, await open().lines());
  if (missed.length > 0)
    throw new CliRefusal(
      `${missed.length} lines of the record are not in ${place.shown}; nothing was set aside\n  Then: ${commandsFor(stack).moveStore(address)}`,
    );
  markMoved(directory, address);
  // A run that began before the mark may have written more.
  const aside = `${eventLogFile(directory)}.moved`;
  const late = fs.existsSync(aside)
    ? fs
        .readFileSync(aside, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
  const more = notIn(late, await open().lines());
  for (const line of more) await open().append(line);
  console.log(
    printableLines(
      [
        `${brought + more.length} lines of the record and ${files} files of backups are in ${place.shown} now, read again there and the same.`,
        `The key that opens the backups is not: ${ownIdentityFile(directory)}. Bring it to each machine that shall open them.`,
        `Now, for each stack of ${pillar.name}: ${commandsFor(stack).set("store", address)}`,
      ].join("\n"),
    ),
  );
  return 0;
}

/** @returns how many were added @throws Refusal where the bucket has lines that are not these */
async function bringLines(own: readonly string[], store: BucketStore): Promise<number> {
  const there = await store.lines();
  const missing = notIn(own, there);
  // Lines of others may stand there only where nothing is missing: their order is what guards go by.
  if (missing.length > 0 && notIn(there, own).length > 0)
    throw new CliRefusal(
      `${store.log} has another record than this machine; nothing was set aside\n` +
        `  found: ${there.length} lines there, ${own.length} here, ${missing.length} of them not there\n` +
        `  needed: a bucket, or a folder of one, that has no record of this Pillar`,
    );
  for (const line of missing) await store.append(line);
  return missing.length;
}

/** Where the bucket has a record of a server's orders, that is the newer one: it is what runs with the bucket go by. */
async function bringOrders(directory: string, store: BucketStore): Promise<void> {
  for (const name of namesIn(directory).filter((each) => /^orders-.*\.json$/.test(each)))
    await store.renew(name, await store.newest(name));
}

function namesIn(directory: string): string[] {
  return fs.existsSync(directory) ? fs.readdirSync(directory) : [];
}

/** What of some lines others lack, each as often as it stands there (pure). */
function notIn(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

/** Brings the backups, and reads each again. @returns how many there are */
async function bringFiles(directory: string, store: BucketStore): Promise<number> {
  const names = namesIn(directory).filter((name) => /\.(tar\.age|manifest\.json)$/.test(name));
  for (const name of names) {
    await store.bring(name);
    const [here, there] = [crypto.createHash("sha256"), crypto.createHash("sha256")];
    await pipeline(fs.createReadStream(path.join(directory, name)), here);
    await pipeline(await store.open(name), there);
    if (here.digest("hex") !== there.digest("hex"))
      throw new CliRefusal(
        `${name} is not in the bucket as it is here; nothing was set aside\n  needed: the same bytes. Run the same command again`,
      );
  }
  return names.length;
}

function ownDirectoryText(stack: string, directory: string): string {
  const run = commandsFor(stack);
  return [
    "the records lie in a directory that is configured, and only those of the user's data move into a bucket; nothing was changed",
    `  found: pillar-host:orchestrator.backup.directory, ${directory}`,
    `  needed: its content in the user's data, and the key with it (docs/backup.md), then: ${run.remove("orchestrator.backup.directory")}`,
  ].join("\n");
}

function elsewhereText(stack: string, before: string, address: string): string {
  return [
    "the records of this machine were moved to another bucket; nothing was changed",
    `  found: ${before}, asked for: ${address}`,
    `  needed: that one: ${commandsFor(stack).set("store", before)}`,
  ].join("\n");
}
