import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { findBucketProblem, parseBucketPlace } from "../../../core/store/bucketPlace";
import { createBucketStore } from "../../../core/store/bucketStore";
import { openBucket } from "../../../core/store/s3";
import { harmless } from "../../evilText";
import { storeContract } from "./contract";
import { type Mood, type S3Double, startS3Double } from "./s3Double";

let double: S3Double;
let root: string;
let count = 0;

beforeAll(async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "hunter2-of-the-bucket");
  double = await startS3Double("state");
});
afterAll(() => double.close());

/** Creates a machine with its own directory and an unused part of the bucket. */
const machine = (name: string, request = 60_000) => {
  const address = `s3://state/part${count}?endpoint=${encodeURIComponent(double.endpoint)}&s3ForcePathStyle=true#Anvil`;
  const place = parseBucketPlace(address);
  const bucket = openBucket(place, { request, file: request });
  return createBucketStore(bucket, path.join(root, name));
};

const begin = () => {
  root = fs.mkdtempSync(path.join(tmpdir(), "bucket-store-"));
  count += 1;
  double.mood = "well";
  forgetTexts();
};

/** Clears the cached texts, as a new process would. */
function forgetTexts(): void {
  (globalThis as { pillarHostTexts?: unknown }).pillarHostTexts = undefined;
}

storeContract("a bucket", () => {
  begin();
  let opened = 0;
  return {
    open: () => {
      opened += 1;
      forgetTexts();
      return machine(`machine${opened}`);
    },
    breakOff: () => undefined,
    spoil: () => {
      double.mood = "forbidden";
    },
    faults: { spoiled: /found: 403 AccessDenied/, absent: /found: 404 NoSuchKey/ },
    end: () => fs.rmSync(root, { recursive: true }),
  };
});

describe("a bucket that fails", () => {
  beforeEach(begin);
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

  it.each<[Mood, string]>([
    ["forbidden", "403 AccessDenied"],
    ["slow", "no whole answer within 1.5 s"],
    ["cut", "aborted"],
  ])("fails to read a bucket that is %s, and never reads it as empty", async (mood, found) => {
    await machine("one").append("line");
    forgetTexts();
    double.mood = mood;
    const error = await machine("two", mood === "slow" ? 1500 : undefined)
      .readLines()
      .catch((thrown: Error) => thrown);
    expect(String(error)).toContain(
      `the bucket of the event log can't be read: s3://state/part${count}/pillar-host/Anvil/`,
    );
    expect(String(error)).toContain(`  found: `);
    expect(String(error)).toContain(found);
    expect(String(error)).toContain("  Try: aws s3 ls s3://state/part");
    expect(String(error)).not.toContain("hunter2");
  });

  it.each<Mood>(["forbidden", "slow", "halfTaken"])(
    "reports a line or a backup that did not arrive (%s)",
    async (mood) => {
      const store = machine("one", mood === "slow" ? 1500 : undefined);
      await machine("one").append("before");
      fs.mkdirSync(store.directory, { recursive: true });
      fs.writeFileSync(path.join(store.directory, "a.part"), "sealed");
      double.mood = mood;
      await expect(store.append("line")).rejects.toThrow("the bucket of the event log can't be");
      await expect(store.keep(path.join(store.directory, "a.part"), "a.tar.age")).rejects.toThrow("can't be");
      double.mood = "well";
      forgetTexts();
      expect(await machine("two").readLines()).toEqual(["before"]);
      expect(await machine("two").readSize("a.tar.age")).toBeUndefined();
      // The file is not lost: the next run keeps it.
      expect(fs.readFileSync(path.join(store.directory, "a.part"), "utf8")).toBe("sealed");
    },
  );

  it("stops reading a line without an end, and removes terminal commands from the server's words", async () => {
    await machine("one").append("line");
    forgetTexts();
    double.mood = "flood";
    await expect(machine("two").readLines()).rejects.toThrow("found: the answer is larger than 5 MiB");
    double.mood = "rude";
    const error = await machine("two")
      .readLines()
      .catch((thrown: Error) => thrown);
    expect(String(error)).toContain(`found: 403 AccessDenied ${harmless}\n`);
  });

  it("refuses a list without an end", async () => {
    double.mood = "endless";
    await expect(machine("one", 1500).readLines()).rejects.toThrow("found: no whole answer within 1.5 s");
  });

  it("refuses an object that is shorter than its list says", async () => {
    await machine("one").append("a whole line");
    const [key = ""] = [...double.objects.keys()].filter((each) => each.includes(`part${count}/`));
    const whole = double.objects.get(key);
    if (whole === undefined) throw new Error("no object");
    forgetTexts();
    double.objects.set(key, { ...whole, body: whole.body.subarray(0, 5) });
    await expect(machine("two").readLines()).rejects.toThrow("has 5 bytes, and 5 came");
  });

  it("keeps lines in order if another machine's clock is ahead", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    await machine("one").append("first");
    vi.useRealTimers();
    await machine("two").append("second");
    expect(await machine("two").readLines()).toEqual(["first", "second"]);
  });

  it.each<Mood>(["forbidden", "slow", "cut"])(
    "fails to read a newest text from a bucket that is %s, and never reads none",
    async (mood) => {
      await machine("one").writeText("orders.json", "one");
      forgetTexts();
      double.mood = mood;
      const other = machine("two", mood === "slow" ? 1500 : undefined);
      await expect(other.readText("orders.json")).rejects.toThrow("the bucket of the event log can't be");
      if (mood !== "cut")
        await expect(other.writeText("orders.json", "two")).rejects.toThrow("the bucket of the event log");
    },
  );

  it("adds an object for a new text, and none for the same text", async () => {
    const objects = () => [...double.objects.keys()].filter((key) => key.includes(`part${count}/`)).length;
    await machine("one").writeText("orders.json", undefined);
    expect(objects()).toBe(0);
    await machine("one").writeText("orders.json", "first");
    await machine("two").writeText("orders.json", "second");
    await machine("one").writeText("orders.json", "second");
    expect(objects()).toBe(2);
  });

  it("reads this machine's text until the bucket has one, then deletes it", async () => {
    const store = machine("one");
    const file = path.join(store.directory, "orders.json");
    fs.mkdirSync(store.directory, { recursive: true });
    fs.writeFileSync(file, "of before");
    expect(await store.readText("orders.json")).toBe("of before");
    await store.writeText("orders.json", "of before");
    expect(fs.existsSync(file)).toBe(false);
    expect(await machine("two").readText("orders.json")).toBe("of before");
    fs.writeFileSync(file, "older than the bucket's");
    expect(await store.readText("orders.json")).toBe("of before");
  });

  it("keeps each Pillar's part apart", async () => {
    await machine("one").append("of Anvil");
    const place = parseBucketPlace(
      `s3://state/part${count}?endpoint=${encodeURIComponent(double.endpoint)}&s3ForcePathStyle=true#Bolt`,
    );
    expect(await createBucketStore(openBucket(place), root).readLines()).toEqual([]);
  });

  it("keeps a copy of a backup on the machine that made it", async () => {
    const store = machine("one");
    fs.mkdirSync(store.directory, { recursive: true });
    fs.writeFileSync(path.join(store.directory, "a.part"), "sealed");
    const file = await store.keep(path.join(store.directory, "a.part"), "a.tar.age");
    expect(file).toBe(path.join(store.directory, "a.tar.age"));
    expect(fs.readFileSync(file, "utf8")).toBe("sealed");
    expect(await text(await machine("two").open("/elsewhere/a.tar.age"))).toBe("sealed");
  });
});

describe("the address of a store", () => {
  it.each([
    ["s3://state", undefined],
    ["s3://state/folder?region=eu-central-1&profile=team", undefined],
    ["s3://state?endpoint=https%3A%2F%2Fs3.example.net&s3ForcePathStyle=true&region=us-east-1", undefined],
    ["/mnt/safe", "needed s3://BUCKET"],
    ["gs://state", "needed s3://BUCKET"],
    ["s3://KEY:hunter2@state", "must not hold credentials"],
    ["s3://state?endpoint=https%3A%2F%2Fkey%3Ahunter2%40s3.example.net", "without user and password"],
    ["s3://state?accessKey=hunter2", "knows no accessKey"],
    ["s3://state#Anvil", "needed s3://BUCKET"],
  ])("is parsed or refused: %s", async (address, fault) => {
    const found = findBucketProblem(address);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(fault);
    expect(found ?? "").not.toContain("hunter2");
  });
});
