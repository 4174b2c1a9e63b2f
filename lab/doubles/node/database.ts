import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Files of the same kinds as in the real node's databases: tables that are never rewritten, a manifest, a file with the
 * manifest's name, and a journal.
 */
const files = { current: "CURRENT", manifest: "MANIFEST-000001", table: "000002.ldb", journal: "000003.log" } as const;

/** Size of the table that stands for the chain. */
const tableBytes = 256 * 1024;

/**
 * A node's databases with a height: `nom` is the chain; a version may also have `cache`, which the controller's Resync
 * leaves alone.
 */
export type Database = "nom" | "cache";

/** Reads the height that survives a restart. Undefined on a fresh node. The file is in nom/, which a resync deletes. */
export function storedHeight(dataDir: string, database: Database = "nom"): number | undefined {
  try {
    const height = Number(readFileSync(join(dataDir, database, files.journal), "utf8"));
    return Number.isSafeInteger(height) && height >= 0 ? height : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Opens the databases until {@link closeDatabase} is called. A database that was never closed may be torn: the real node
 * writes a momentum in several writes, none of them in a batch (go-zenon v0.0.8, common/db/versioned_db.go:364-370), and
 * goleveldb drops a torn end of its journal without a word (leveldb/db.go, recoverJournal). The real node does not notice
 * that, and may stand still: at its height, or at height 1, because it takes a head without its momentum for an empty
 * database and writes the genesis anew (chain/chain.go:102-107). Here `nom/torn` gets a line, and the node goes on: the
 * settings `stall` and `forceHeight` play what may follow.
 */
export function openDatabase(dataDir: string): void {
  for (const name of ["nom", "consensus"]) {
    const at = (file: string) => join(dataDir, name, file);
    mkdirSync(join(dataDir, name), { recursive: true });
    if (existsSync(at(files.current))) continue;
    writeFileSync(at(files.table), `${name} `.repeat(Math.ceil(tableBytes / (name.length + 1))));
    writeFileSync(at(files.manifest), files.table);
    writeFileSync(at(files.current), `${files.manifest}\n`);
  }
  const open = join(dataDir, "nom", "open");
  if (existsSync(open)) appendFileSync(join(dataDir, "nom", "torn"), `${new Date().toISOString()}\n`);
  writeFileSync(open, "");
}

/** Marks the databases as cleanly closed. */
export function closeDatabase(dataDir: string): void {
  rmSync(join(dataDir, "nom", "open"), { force: true });
}

/** Stores the height. If the process is killed meanwhile, either the old or the new height is on disk. */
export function storeHeight(dataDir: string, height: number, database: Database = "nom"): void {
  mkdirSync(join(dataDir, database), { recursive: true });
  const next = join(dataDir, database, "height.new");
  writeFileSync(next, String(height));
  renameSync(next, join(dataDir, database, files.journal));
}
