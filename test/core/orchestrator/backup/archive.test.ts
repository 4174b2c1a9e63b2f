import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { readArchive } from "../../../../core/orchestrator/backup/archive.ts";

const dir = mkdtempSync(join(tmpdir(), "archive-"));
afterAll(() => rmSync(dir, { recursive: true }));

const names = Array.from({ length: 40 }, (_, at) => `file${at}`);
for (const name of names) writeFileSync(join(dir, name), name.repeat(200));
const pack = (...options: string[]) => execFileSync("tar", ["-c", "--format=gnu", "-C", dir, ...options]);
const whole = pack(...names);
const damagedAt = (at: number) => {
  const header = whole.indexOf(`file${at}\0`);
  return Buffer.from(whole).fill(0xff, header + 100, header + 160);
};

/** Reads an archive in pieces, as it comes over a connection. */
function read(bytes: Buffer) {
  const starts = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, at) => at * 1000);
  return readArchive(Readable.from(starts.map((start) => bytes.subarray(start, start + 1000))));
}

test("an archive is read whole", async () => {
  expect((await read(whole)).manifest.size).toBe(names.length);
});

test.each([
  ["a damaged first header", damagedAt(0), "the archive is damaged"],
  ["a damaged header", damagedAt(20), "the archive is damaged"],
  ["a damaged last header", damagedAt(39), "the archive is damaged"],
  ["a missing end", whole.subarray(0, 5400), "the archive is damaged"],
  ["a file that runs as its owner", pack("--mode=u+s", "file3", "file4"), "file3 has setuid or setgid"],
  ["compression", gzipSync(whole), "no plain tar, but compressed"],
])("an archive with %s is refused", async (_what, bytes, why) => {
  await expect(read(bytes)).rejects.toThrow(why);
});
