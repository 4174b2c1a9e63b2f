import type { Readable } from "node:stream";
import { readBoundedStream } from "../util/boundedText";
import { takeFirstLine } from "../util/firstLine";
import { createOperatorError } from "../util/operatorError";
import { printable } from "../util/printable";
import { formatProblem } from "../util/problem";
import { withTimeout } from "../util/withTimeout";
import type { BucketPlace } from "./bucketPlace";

export interface Listed {
  readonly key: string;
  readonly bytes: number;
}

type Sdk = typeof import("@aws-sdk/client-s3");

type Client = InstanceType<Sdk["S3Client"]>;

interface BucketRequest<T> {
  readonly purpose: "read" | "written";
  readonly timeoutMs: number;
  readonly send: (sdk: Sdk, client: Client, options: { abortSignal: AbortSignal }) => Promise<T>;
  readonly results?: Readonly<Record<number, T>>;
}

function createRequester(place: BucketPlace) {
  const { endpoint, region, profile, pathStyle } = place;
  let client: Client | undefined;
  return async <T>({ purpose, timeoutMs, send, results = {} }: BucketRequest<T>): Promise<T> => {
    // Load the library only if a store is a bucket, because it is large.
    const sdk = await import("@aws-sdk/client-s3");
    client ??= new sdk.S3Client({
      endpoint,
      region,
      profile,
      forcePathStyle: pathStyle,
      maxAttempts: 3,
      // Some providers lack Amazon's new checksums.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
    const abort = new AbortController();
    const late = `no whole answer within ${timeoutMs / 1000} s`;
    try {
      return await withTimeout(send(sdk, client, { abortSignal: abort.signal }), timeoutMs, late);
    } catch (error) {
      const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
      if (status !== undefined && status in results) return results[status] as T;
      throw createOperatorError(formatBucketError(purpose, place, status, error as Error));
    } finally {
      abort.abort();
    }
  };
}

export type Bucket = ReturnType<typeof openBucket>;

/**
 * Opens a bucket; sends nothing yet. Credentials are found as AWS tools find them. Each request has a timeout, and
 * throws in the operator's words.
 */
export function openBucket(place: BucketPlace, timeoutsMs = { request: 20_000, file: 3_600_000 }) {
  const { bucket: Bucket, prefix, address } = place;
  const request = createRequester(place);
  const read = <T>(send: BucketRequest<T>["send"], results?: Readonly<Record<number, T>>) =>
    request({ purpose: "read", timeoutMs: timeoutsMs.request, send, results });
  return {
    prefix,
    address,
    /** Lists all objects below a prefix, sorted by key. */
    list: (Prefix: string) =>
      read(async (sdk, client, options) => {
        const objects: Listed[] = [];
        for await (const page of sdk.paginateListObjectsV2({ client }, { Bucket, Prefix }, options)) {
          for (const { Key = "", Size = -1 } of page.Contents ?? []) objects.push({ key: Key, bytes: Size });
          if (page.IsTruncated === true && !page.NextContinuationToken)
            throw new Error("the store sent part of a list, and no token for the next part");
        }
        return objects.sort((a, b) => (a.key < b.key ? -1 : 1));
      }),
    text: (Key: string) =>
      read(async (sdk, client, options) => {
        const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key }), options);
        return Body === undefined ? "" : readBoundedStream(Body as Readable);
      }),
    stream: (Key: string) =>
      read(async (sdk, client) => {
        // The stream is read later, so it has a timeout of its own.
        const abortSignal = AbortSignal.timeout(timeoutsMs.file);
        return (await client.send(new sdk.GetObjectCommand({ Bucket, Key }), { abortSignal })).Body as Readable;
      }),
    /** Reads an object's size and hash; undefined if it does not exist. */
    head: (Key: string) =>
      read<{ bytes: number; sha256: string | undefined } | undefined>(
        async (sdk, client, options) => {
          const { ContentLength = -1, Metadata } = await client.send(
            new sdk.HeadObjectCommand({ Bucket, Key }),
            options,
          );
          return { bytes: ContentLength, sha256: Metadata?.sha256 };
        },
        { 404: undefined },
      ),
    /** Writes a new object. @returns false if the key exists: nothing is overwritten */
    put: (Key: string, Body: string | Readable, ContentLength: number, sha256: string) =>
      request({
        purpose: "written",
        timeoutMs: typeof Body === "string" ? timeoutsMs.request : timeoutsMs.file,
        send: async (sdk, client, options) => {
          const object = { Bucket, Key, Body, ContentLength, IfNoneMatch: "*", Metadata: { sha256 } };
          await client.send(new sdk.PutObjectCommand(object), options);
          return true;
        },
        results: { 412: false },
      }),
  };
}

function formatBucketError(
  what: "read" | "written",
  { bucket, prefix, address, endpoint }: BucketPlace,
  status: number | undefined,
  { name, message }: Error,
): string {
  const words = [status ?? "", name === "Error" ? "" : printable(name), printable(takeFirstLine(message))];
  const at = endpoint === undefined ? "" : ` --endpoint-url ${endpoint}`;
  return formatProblem({
    what: `the bucket of the event log can't be ${what}: ${address}; nothing is decided without it`,
    found: words.filter((each) => each !== "").join(" "),
    needed:
      "set credentials that may list, read and write in the bucket, as for AWS tools\n" +
      "  (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
    next: `Try: aws s3 ls s3://${bucket}/${prefix}${at}; then run the same command again`,
  });
}
