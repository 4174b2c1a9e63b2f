import http from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import { loadOptional } from "../util/loadOptional.ts";
import { printable, takeFirstLine } from "../util/printable.ts";
import { ignoreStatuses, type Problem, ProblemError } from "../util/problem.ts";
import { readBoundedStream } from "../util/sendRequest.ts";
import { withTimeout } from "../util/withTimeout.ts";
import type { BucketAddress } from "./bucketAddress.ts";

export type Listed = { readonly key: string; readonly bytes: number };

type Sdk = typeof import("@aws-sdk/client-s3");
type Work<T> = (sdk: Sdk, client: InstanceType<Sdk["S3Client"]>, options: { abortSignal: AbortSignal }) => Promise<T>;

/**
 * Opens a bucket; sends nothing yet. Credentials are found as AWS tools find them. Each request has a timeout, and
 * throws in the operator's words.
 */
export function openBucket(place: BucketAddress, timeoutsMs: { readonly request: number; readonly file: number }) {
  const { bucket: Bucket } = place;
  const send = createSender(place);
  const read = <T>(work: Work<T>) => send("read", timeoutsMs.request, work);
  return {
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
    /** Reads a text object without its last line break. */
    text: ({ key, bytes }: Listed) =>
      read(async (sdk, client, options) => {
        const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key: key }), options);
        const text = await readBoundedStream(Body as Readable);
        if (!text.endsWith("\n") || Buffer.byteLength(text) !== bytes) throw new Error(`${key} is not whole`);
        return text.slice(0, -1);
      }),
    stream: (Key: string) =>
      read(async (sdk, client) => {
        // The stream is read later, so it has a timeout of its own.
        const abortSignal = AbortSignal.timeout(timeoutsMs.file);
        return (await client.send(new sdk.GetObjectCommand({ Bucket, Key }), { abortSignal })).Body as Readable;
      }),
    /** Reads an object's size and hash; undefined if it does not exist. */
    head: (Key: string) =>
      read(async (sdk, client, options) => {
        const { ContentLength, Metadata } = await client.send(new sdk.HeadObjectCommand({ Bucket, Key }), options);
        return { bytes: ContentLength, sha256: Metadata?.sha256 };
      }).catch(ignoreStatuses(404)),
    /** Writes a new object. Does nothing if the key exists: an earlier attempt may have written the object. */
    put: (Key: string, Body: string | Readable, ContentLength: number, Metadata: Record<string, string> = {}) =>
      send("written", typeof Body === "string" ? timeoutsMs.request : timeoutsMs.file, (sdk, client, options) => {
        const object = { Bucket, Key, Body, ContentLength, IfNoneMatch: "*", Metadata };
        return client.send(new sdk.PutObjectCommand(object), options);
      }).catch(ignoreStatuses(412)),
  };
}

function createSender(place: BucketAddress) {
  let client: InstanceType<Sdk["S3Client"]> | undefined;
  return async <T>(what: "read" | "written", timeoutMs: number, work: Work<T>): Promise<T> => {
    // Load the library only if a store is a bucket, because it is large.
    const sdk = await loadOptional(import("@aws-sdk/client-s3"));
    client ??= new sdk.S3Client({
      ...place.client,
      // The agents of the library would not use the proxy of this process.
      requestHandler: { httpAgent: http.globalAgent, httpsAgent: https.globalAgent },
      // Some providers lack Amazon's new checksums.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
    const abort = new AbortController();
    const late = `no whole answer within ${timeoutMs / 1000} s`;
    try {
      return await withTimeout(work(sdk, client, { abortSignal: abort.signal }), timeoutMs, late);
    } catch (error) {
      const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
      throw new ProblemError(describeBucketError(what, place, status, error as Error));
    } finally {
      abort.abort();
    }
  };
}

/** Tasks of the operator, by what the store or the library says. */
const tasks: readonly (readonly [words: RegExp, needed: string])[] = [
  [/RequestTimeTooSkewed/, "set this machine's clock: timedatectl"],
  [/Bucket|Redirect|Malformed|Location/, "correct bucket, region or endpoint in pillar-host:store"],
  [
    /AccessDenied|Forbidden|Credential|Token|AccessKey|Signature/,
    "set credentials that may list, read and write in the bucket, as for AWS tools\n  (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
  ],
];

function describeBucketError(
  what: "read" | "written",
  { bucket, prefix, address, client: { endpoint } }: BucketAddress,
  status: number | undefined,
  { name, message }: Error,
): Problem {
  const words = [status, name === "Error" ? undefined : printable(name), printable(takeFirstLine(message))];
  const at = endpoint === undefined ? "" : ` --endpoint-url ${endpoint}`;
  return {
    status,
    what: `the bucket of the event log can't be ${what}: ${address}; nothing is decided without it`,
    found: words.filter((each) => each !== undefined).join(" "),
    needed: tasks.find(([words]) => words.test(name))?.[1],
    next: `Try: aws s3 ls s3://${bucket}/${prefix}${at}; then run the same command again`,
  };
}
