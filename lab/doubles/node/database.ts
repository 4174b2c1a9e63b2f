import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** As the real node's: tables that are never written again, a manifest, a name of it, and a journal. */
const files = { current: "CURRENT", manifest: "MANIFEST-000001", table: "000002.ldb", journal: "000003.log" } as const;

/** Bytes of the table that stands for the chain. */
const tableBytes = 256 * 1024;

/** The height that survives a restart; undefined on a fresh node. It lies in nom/, which a resync deletes. */
export function storedHeight(dataDir: string): number | undefined {
  try {
    const height = Number(readFileSync(join(dataDir, "nom", files.journal), "utf8"));
    return Number.isSafeInteger(height) && height >= 0 ? height : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Opens the databases, until {@link closeDatabase}. One that was never closed may be torn, which the real node does not
 * notice; here `nom/torn` gets a line.
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

/** Closes it in order. */
export function closeDatabase(dataDir: string): void {
  rmSync(join(dataDir, "nom", "open"), { force: true });
}

/** Stores the height so that a kill at any moment leaves the old or the new one. */
export function storeHeight(dataDir: string, height: number): void {
  mkdirSync(join(dataDir, "nom"), { recursive: true });
  const next = join(dataDir, "nom", "height.new");
  writeFileSync(next, String(height));
  renameSync(next, join(dataDir, "nom", files.journal));
}
