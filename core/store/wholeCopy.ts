import crypto from "node:crypto";
import type fs from "node:fs";
import path from "node:path";
import { settle } from "../util/writeAtomically";

/** What the files are reached by: tests take one that fails. */
export type Disk = typeof fs;

const chunk = 8 * 1024 * 1024;

/**
 * Copies a file for its owner alone: whole or not at all, compared with what was read, and on the disk when this returns.
 *
 * One at a time for a file: what a killed one left is written anew.
 *
 * @param alive called while it goes on
 * @throws where there is one already, and where it can't be written or reads back otherwise
 */
export function copyWhole(from: string, to: string, disk: Disk, alive: () => void): void {
  const part = partName(to);
  disk.rmSync(part, { force: true });
  try {
    const target = disk.openSync(part, "wx", 0o600);
    let sent: string;
    try {
      sent = readThrough(from, disk, (bytes) => {
        alive();
        for (let done = 0; done < bytes.length; ) done += disk.writeSync(target, bytes, done);
      });
      disk.fsyncSync(target);
    } finally {
      disk.closeSync(target);
    }
    if (hashOf(part, disk, alive) !== sent) throw new Error(`${to}: what was written reads back otherwise`);
    settle(part, to, disk);
  } finally {
    disk.rmSync(part, { force: true });
  }
}

/** What a copy is called until it is whole. */
export function partName(file: string): string {
  return path.join(path.dirname(file), `.${path.basename(file)}.part`);
}

/** The sha256 of a file. */
export function hashOf(file: string, disk: Disk, alive: () => void = () => undefined): string {
  return readThrough(file, disk, alive);
}

function readThrough(file: string, disk: Disk, each: (bytes: Buffer) => void): string {
  const hash = crypto.createHash("sha256");
  const buffer = Buffer.alloc(chunk);
  const source = disk.openSync(file, "r");
  try {
    for (let size = disk.readSync(source, buffer, 0, chunk, null); size > 0; ) {
      const bytes = buffer.subarray(0, size);
      hash.update(bytes);
      each(bytes);
      size = disk.readSync(source, buffer, 0, chunk, null);
    }
  } finally {
    disk.closeSync(source);
  }
  return hash.digest("hex");
}
