import type { Readable } from "node:stream";
import { boundedTextOf } from "../util/boundedText";
import { firstLine } from "../util/firstLine";
import { printable } from "../util/printable";
import { withTimeout } from "../util/withTimeout";
import type { BucketPlace } from "./bucketPlace";
import { storeFault } from "./storeFault";

/** An object as a list of a bucket has it. */
export interface Listed {
  readonly key: string;
  readonly bytes: number;
}

/** What is asked of a bucket. Every call has a time limit, and throws in the operator's words. */
export interface Bucket {
  /** All keys below a prefix, sorted. */
  list(prefix: string): Promise<Listed[]>;
  text(key: string): Promise<string>;
  stream(key: string): Promise<Readable>;
  /** undefined where there is none. */
  head(key: string): Promise<{ readonly bytes: number; readonly sha256?: string | undefined } | undefined>;
  /** Writes a new object. @returns false where there is one, which stays as it is */
  put(key: string, body: string | Readable, bytes: number, sha256: string): Promise<boolean>;
}

type Sdk = typeof import("@aws-sdk/client-s3");

/** Opens a bucket; asks nothing yet. Credentials are found as AWS tools find them. @param limits milliseconds */
export function openBucket(place: BucketPlace, limits = { request: 20_000, file: 3_600_000 }): Bucket {
  const { bucket: Bucket, endpoint, region, profile, pathStyle } = place;
  let client: InstanceType<Sdk["S3Client"]> | undefined;
  /** One request, to its whole answer. @param missing the status that is an answer, too */
  const ask = async <T>(
    what: "read" | "written",
    limit: number,
    work: (sdk: Sdk, s3: InstanceType<Sdk["S3Client"]>, options: { abortSignal: AbortSignal }) => Promise<T>,
    answers: Readonly<Record<number, T>> = {},
  ): Promise<T> => {
    // Loaded where a store is a bucket: it is large.
    const sdk = await import("@aws-sdk/client-s3");
    client ??= new sdk.S3Client({
      endpoint,
      region,
      profile,
      forcePathStyle: pathStyle,
      maxAttempts: 3,
      // Not every maker knows Amazon's new sums.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
    const abort = new AbortController();
    const late = `no whole answer within ${limit / 1000} s`;
    try {
      return await withTimeout(work(sdk, client, { abortSignal: abort.signal }), limit, late);
    } catch (error) {
      const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
      if (status !== undefined && status in answers) return answers[status] as T;
      throw storeFault(faultText(what, place, status, error as Error));
    } finally {
      abort.abort();
    }
  };
  return {
    list: (Prefix) =>
      ask("read", limits.request, async (sdk, s3, options) => {
        const found: Listed[] = [];
        let ContinuationToken: string | undefined;
        do {
          const page = await s3.send(new sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }), options);
          for (const { Key = "", Size = -1 } of page.Contents ?? []) found.push({ key: Key, bytes: Size });
          ContinuationToken = page.NextContinuationToken;
          if (page.IsTruncated === true && ContinuationToken === undefined)
            throw new Error("a list that does not go on where it was cut");
        } while (ContinuationToken !== undefined);
        return found.sort((a, b) => (a.key < b.key ? -1 : 1));
      }),
    text: (Key) =>
      ask("read", limits.request, async (sdk, s3, options) => {
        const { Body } = await s3.send(new sdk.GetObjectCommand({ Bucket, Key }), options);
        return Body === undefined ? "" : boundedTextOf(Body as Readable);
      }),
    stream: (Key) =>
      ask("read", limits.request, async (sdk, s3) => {
        // The stream is read later, so it has a limit of its own.
        const abortSignal = AbortSignal.timeout(limits.file);
        return (await s3.send(new sdk.GetObjectCommand({ Bucket, Key }), { abortSignal })).Body as Readable;
      }),
    head: (Key) =>
      ask<Awaited<ReturnType<Bucket["head"]>>>(
        "read",
        limits.request,
        async (sdk, s3, options) => {
          const { ContentLength = -1, Metadata } = await s3.send(new sdk.HeadObjectCommand({ Bucket, Key }), options);
          return { bytes: ContentLength, sha256: Metadata?.sha256 };
        },
        { 404: undefined },
      ),
    put: (Key, Body, ContentLength, sha256) =>
      ask(
        "written",
        typeof Body === "string" ? limits.request : limits.file,
        async (sdk, s3, options) => {
          const object = { Bucket, Key, Body, ContentLength, IfNoneMatch: "*", Metadata: { sha256 } };
          await s3.send(new sdk.PutObjectCommand(object), options);
          return true;
        },
        { 412: false },
      ),
  };
}

function faultText(
  what: "read" | "written",
  { bucket, prefix, shown, endpoint }: BucketPlace,
  status: number | undefined,
  { name, message }: Error,
): string {
  const words = [status ?? "", name === "Error" ? "" : printable(name), printable(firstLine(message))];
  const at = endpoint === undefined ? "" : ` --endpoint-url ${endpoint}`;
  return [
    `the store of the records can't be ${what}: ${shown}; without it nothing is decided`,
    `  found: ${words.filter((each) => each !== "").join(" ")}`,
    "  needed: a bucket that answers, and credentials that may list, read and write in it, found as AWS tools find them",
    "  (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
    `  Look with: aws s3 ls s3://${bucket}/${prefix}${at}; then run the same command again`,
  ].join("\n");
}
