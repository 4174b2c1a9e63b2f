import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OwnProcess } from "../../hosts/machine.ts";
import { firstServer, lastServer } from "../../hosts/network.ts";

/** A machine of the room, as stored in its directory. */
export interface MachineRecord {
  readonly id: string;
  readonly name: string;
  /** Number that the address is derived from, and the name of the machine's directory. */
  readonly n: number;
  /** Present once the disk is made. */
  readonly hasDisk?: true;
  /** Present since the first boot. */
  readonly process?: OwnProcess;
}

/**
 * The room's machines on disk: one directory per machine, named by its number. Several processes can share a room, and
 * the next process can clean up after one that was killed.
 */
export class MachineRecords {
  constructor(private readonly dir: string) {}

  directory(n: number): string {
    return join(this.dir, String(n));
  }

  async all(): Promise<MachineRecord[]> {
    const entries = await readdir(this.dir).catch(() => []);
    const texts = entries.map((entry) =>
      readFile(join(this.dir, entry, "machine.json"), "utf8").catch(() => undefined),
    );
    return (await Promise.all(texts)).flatMap((text) => (text ? [JSON.parse(text) as MachineRecord] : []));
  }

  async find(id: string): Promise<MachineRecord | undefined> {
    return (await this.all()).find((record) => record.id === id);
  }

  /** Takes the lowest free number. Its directory reserves it until the directory is removed. */
  async claim(machine: Omit<MachineRecord, "n">): Promise<MachineRecord> {
    if (await this.find(machine.id)) throw new Error(`there is a machine ${machine.id} already`);
    await mkdir(this.dir, { recursive: true });
    for (let n = firstServer; n <= lastServer; n += 1) {
      // A directory that exists belongs to another machine.
      const made = await mkdir(this.directory(n), { mode: 0o700 }).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code !== "EEXIST" && Promise.reject(error),
      );
      if (!made) continue;
      const record = { ...machine, n };
      await this.save(record);
      return record;
    }
    throw new Error(`the machine room is full: ${lastServer - firstServer + 1} machines`);
  }

  async save(record: MachineRecord): Promise<void> {
    const file = join(this.directory(record.n), "machine.json");
    // The rename is atomic, because other processes read the file at any time.
    await writeFile(`${file}.new`, JSON.stringify(record, undefined, 2));
    await rename(`${file}.new`, file);
  }

  async release(n: number): Promise<void> {
    await rm(this.directory(n), { recursive: true, force: true });
  }
}
