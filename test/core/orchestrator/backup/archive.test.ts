import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { readArchive } from "../../../../core/orchestrator/backup/archive";

const dir = mkdtempSync(join(tmpdir(), "archive-"));
afterAll(() => rmSync(dir, { recursive: true }));

const names = Array.from({ length: 40 }, (_, at) => `file${at}`);
for (const name of names) writeFileSync(join(dir, name), name.repeat(200));
const whole = execFileSync("tar", ["-c", "--format=gnu", "-C", dir, ...names]);

/** Reads an archive in pieces, as it comes over a connection. */
async function read(bytes: Buffer) {
  const reader = await readArchive();
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, at) =>
    bytes.subarray(at * 1000, at * 1000 + 1000),
  );
  await pipeline(Readable.from(pieces), reader.input);
  return reader.manifest();
}

describe("an archive", () => {
  test("is read whole", async () => {
    expect((await read(whole)).size).toBe(names.length);
  });

  test.each([10, 20, 39])("fails with an error if the header of file %i is damaged", async (at) => {
    const damaged = Buffer.from(whole);
    const header = damaged.indexOf(Buffer.from(`file${at}\0`));
    damaged.fill(0xff, header + 100, header + 160);
    await expect(read(damaged)).rejects.toThrow("the archive is damaged");
    // The backup writes without its own listener for errors.
    const { input } = await readArchive();
    const told = await new Promise((resolve) => input.write(damaged, resolve));
    expect(told).toMatchObject({ message: expect.stringContaining("the archive is damaged") });
    await new Promise(setImmediate);
  });

  test("is refused with a file that runs as its owner", async () => {
    const odd = execFileSync("tar", ["-c", "--format=gnu", "--mode=u+s", "-C", dir, "file3", "file4"]);
    await expect(read(odd)).rejects.toThrow("file3 has setuid or setgid");
  });

  test("is refused if it is compressed", async () => {
    await expect(read(gzipSync(whole))).rejects.toThrow("no plain tar: compressed, or damaged");
  });
});
