import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { readLocks } from "../../cli/backendLocks";
import { type S3Double, startS3Double } from "../core/store/s3Double";
import { evilText, harmless } from "../evilText";

const folder = ".pulumi/locks/organization/pillar-host/prod";
const lockOf = (changes: object = {}) =>
  JSON.stringify({ pid: 4242, username: "ada", hostname: "desk", timestamp: "2026-11-21T14:49:32Z", ...changes });
const told = { user: "ada", host: "desk", pid: 4242, since: Date.parse("2026-11-21T14:49:32Z") };
const read = (url: string) => readLocks(url, "pillar-host", "organization/pillar-host/prod");

describe("who holds a stack whose state is in a directory", () => {
  const directory = mkdtempSync(join(tmpdir(), "locks-"));
  afterAll(() => rmSync(directory, { recursive: true }));

  it("is told by its lock files, and nobody by none", async () => {
    expect(await read(`file://${directory}`)).toEqual([]);
    mkdirSync(join(directory, folder), { recursive: true });
    writeFileSync(join(directory, folder, "b985.json"), lockOf());
    expect(await read(`file://${directory}`)).toEqual([{ lock: told, holder: "unknown" }]);
  });
});

describe("who holds a stack whose state is in a bucket", () => {
  let bucket: S3Double;
  let url: string;
  const put = (key: string, text: string) => bucket.objects.set(key, { body: Buffer.from(text), sha256: "" });

  beforeAll(() => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "hunter2");
  });
  afterAll(() => vi.unstubAllEnvs());
  beforeEach(async () => {
    bucket = await startS3Double("state");
    url = `s3://state?endpoint=${encodeURIComponent(bucket.endpoint)}&s3ForcePathStyle=true&region=us-east-1`;
  });
  afterEach(() => bucket.close());

  it("is told by its lock objects, not by another stack's, and nobody by none", async () => {
    put(`${folder}-2/b985.json`, lockOf());
    expect(await read(url)).toEqual([]);
    put(`${folder}/b985.json`, lockOf());
    expect(await read(url)).toEqual([{ lock: told, holder: "unknown" }]);
  });

  it("is told where the state is in a folder of it, and of this machine with what became of the run", async () => {
    // No process has that number.
    put(`team/${folder}/b985.json`, lockOf({ hostname: hostname(), pid: 4_194_305 }));
    expect(await read(url.replace("s3://state?", "s3://state/team?"))).toMatchObject([{ holder: "gone" }]);
  });

  it("is not known where it refuses, or has an address that Pulumi alone understands; and commands no terminal", async () => {
    put(`${folder}/b985.json`, lockOf({ username: evilText }));
    const [held] = (await read(url)) ?? [];
    expect(held?.lock.user).toBe(harmless);
    expect(await read(`${url}&kmskeyid=key`)).toBeUndefined();
    bucket.mood = "forbidden";
    expect(await read(url)).toBeUndefined();
  });

  it("is not known of a database", async () => {
    expect(await read("postgres://pulumi@db.example.net:5432/pulumi")).toBeUndefined();
  });
});
