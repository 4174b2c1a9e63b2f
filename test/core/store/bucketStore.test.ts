import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { findBucketProblem, parseBucketAddress } from "../../../core/store/bucketAddress.ts";
import { createBucketStore, texts } from "../../../core/store/bucketStore.ts";
import type { Store } from "../../../core/store/store.ts";
import { harmless } from "../../evilText.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { storeContract } from "./contract.ts";
import { type Mood, type S3Double, startS3Double } from "./s3Double.ts";

let double: S3Double;
const scratch = scratchDirectory();
let count = 0;

beforeAll(async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "hunter2-of-the-bucket");
  double = await startS3Double("state");
});
afterAll(() => double.close());

/** Creates a machine with its own directory and an unused part of the bucket. */
const machine = (name: string, request = 60_000, pillar = "Anvil") => {
  const endpoint = encodeURIComponent(double.endpoint);
  const place = parseBucketAddress(`s3://state/part${count}?endpoint=${endpoint}&s3ForcePathStyle=true#${pillar}`);
  return createBucketStore(place, path.join(scratch(), name), { request, file: request });
};

const begin = () => {
  count += 1;
  double.mood = "well";
  forgetTexts();
};

/** Clears the cached texts, as a new process would. */
function forgetTexts(): void {
  texts.clear();
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
  };
});

describe("a bucket", () => {
  beforeEach(begin);
  const objects = () => [...double.objects.keys()].filter((key) => key.includes(`part${count}/`));
  const put = ({ directory }: Store, name: string, content: string) => {
    fs.mkdirSync(directory, { recursive: true });
    fs.writeFileSync(path.join(directory, name), content);
    return path.join(directory, name);
  };

  it.each<[Mood, string]>([
    ["forbidden", `403 AccessDenied ${harmless}`],
    ["slow", "no whole answer within 1.5 s"],
    ["cut", "aborted"],
  ])("is never read as empty if it is %s", async (mood, found) => {
    await machine("one").append("line");
    await machine("one").writeText("orders.json", "one");
    forgetTexts();
    double.mood = mood;
    const other = machine("two", mood === "slow" ? 1500 : undefined);
    for (const read of [() => other.readLines(), () => other.readText("orders.json")]) {
      const error = String(await read().catch((thrown: Error) => thrown));
      const what = `the bucket of the event log can't be read: s3://state/part${count}/pillar-host/Anvil/`;
      for (const words of [what, `  found: `, found, "  Try: aws s3 ls s3://state/part"])
        expect(error).toContain(words);
      expect(error).not.toContain("hunter2");
    }
  });

  it.each<Mood>(["forbidden", "slow", "halfTaken"])(
    "reports a line, text or backup that did not arrive (%s)",
    async (mood) => {
      const store = machine("one", mood === "slow" ? 1500 : undefined);
      await machine("one").append("before");
      const part = put(store, "a.part", "sealed");
      double.mood = mood;
      const writes = [store.append("line"), store.writeText("orders.json", "two"), store.keep(part, "a.tar.age")];
      const refused = "the bucket of the event log can't";
      await Promise.all(writes.map((write) => expect(write).rejects.toThrow(refused)));
      double.mood = "well";
      forgetTexts();
      expect(await machine("two").readLines()).toEqual(["before"]);
      expect(await machine("two").readSize("a.tar.age")).toBeUndefined();
      // The file is not lost: the next run keeps it.
      expect(fs.readFileSync(part, "utf8")).toBe("sealed");
    },
  );

  it.each<[status: number, code: string, needed: RegExp | undefined]>([
    [403, "AccessDenied", /needed: set credentials/],
    [403, "SignatureDoesNotMatch", /needed: set credentials/],
    [400, "ExpiredToken", /needed: set credentials/],
    [403, "RequestTimeTooSkewed", /needed: set this machine's clock/],
    [404, "NoSuchBucket", /needed: correct bucket, region or endpoint in pillar-host:store/],
    [301, "PermanentRedirect", /needed: correct bucket/],
    [400, "AuthorizationHeaderMalformed", /needed: correct bucket/],
    [404, "NoSuchKey", undefined],
    [400, "InvalidRequest", undefined],
    [0, "ECONNREFUSED", undefined],
  ])("names only a cause that the store names: %i %s", async (status, code, needed) => {
    const server = http.createServer((_request, response) =>
      response.writeHead(status).end(`<Error><Code>${code}</Code><Message>${code} it is</Message></Error>`),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // No program listens on port 1, and another test would soon take a port that was let go.
    const port = status === 0 ? 1 : (server.address() as AddressInfo).port;
    const place = parseBucketAddress(`s3://state?endpoint=http://127.0.0.1:${port}&s3ForcePathStyle=true#Anvil`);
    const read = createBucketStore(place, scratch(), { request: 20_000, file: 20_000 }).readLines();
    const error = String(await read.catch((thrown: Error) => thrown));
    server.close();
    expect(error).toContain(code);
    if (needed) expect(error).toMatch(needed);
    else expect(error).not.toContain("needed:");
    expect(error).toContain("Try: aws s3 ls s3://state/");
  });

  it("refuses an object without its end", async () => {
    await machine("one").append("a whole line");
    const [key = ""] = objects();
    double.objects.set(key, { body: Buffer.from("a who"), sha256: "" });
    await expect(machine("two").readLines()).rejects.toThrow(/found: .* is not whole/);
  });

  it("keeps lines in order if another machine's clock is ahead", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    await machine("one").append("first");
    vi.useRealTimers();
    await machine("two").append("second");
    expect(await machine("two").readLines()).toEqual(["first", "second"]);
    expect(await machine("two", undefined, "Bolt").readLines()).toEqual([]);
  });

  it("refuses an object that is none of the program's, because it has no place in the order", async () => {
    await machine("one").append("first");
    const [key = ""] = objects();
    const other = `${path.dirname(key)}/record.jsonl`;
    double.objects.set(other, { body: Buffer.from("a copy\n"), sha256: "" });
    for (const use of [() => machine("two").readLines(), () => machine("two").append("second")])
      await expect(use()).rejects.toThrow(`found: ${other.slice(other.indexOf("part"))}`);
    expect(objects()).toHaveLength(2);
  });

  it("adds an object for a new text, and none for the same text", async () => {
    await machine("one").writeText("orders.json", undefined);
    expect(objects()).toEqual([]);
    await machine("one").writeText("orders.json", "first");
    for (const name of ["two", "one"]) await machine(name).writeText("orders.json", "second");
    expect(objects()).toHaveLength(2);
  });

  it("reads this machine's text until the bucket has one, then deletes it", async () => {
    const store = machine("one");
    const file = put(store, "orders.json", "of before");
    expect(await store.readText("orders.json")).toBe("of before");
    await store.writeText("orders.json", "of before");
    expect(fs.existsSync(file)).toBe(false);
    expect(await machine("two").readText("orders.json")).toBe("of before");
    fs.writeFileSync(file, "older than the bucket's");
    expect(await store.readText("orders.json")).toBe("of before");
  });

  it("keeps a copy of a backup on the machine that made it", async () => {
    const store = machine("one");
    const file = await store.keep(put(store, "a.part", "sealed"), "a.tar.age");
    expect(file).toBe(path.join(store.directory, "a.tar.age"));
    expect(fs.readFileSync(file, "utf8")).toBe("sealed");
    expect(await text(await machine("two").open("/elsewhere/a.tar.age"))).toBe("sealed");
  });
});

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
])("the address of a store is parsed or refused: %s", (address, fault) => {
  const found = findBucketProblem(address);
  expect(found).toEqual(fault === undefined ? undefined : expect.stringContaining(fault));
  expect(found ?? "").not.toContain("hunter2");
});
