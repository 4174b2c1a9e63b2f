import { type Readable, Transform } from "node:stream";
import { answerLimit, boundedTextOf, tooLarge } from "../util/boundedText";
import { firstLine } from "../util/firstLine";
import { given } from "../util/given";
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
  head(key: string): Promise<{ readonly bytes: number; readonly sha256?: string } | undefined>;
  /** Writes a new object. @returns false where there is one, which stays as it is */
  put(key: string, body: string | Readable, bytes: number, sha256: string): Promise<boolean>;
}

/** Milliseconds. */
export interface BucketLimits {
  readonly request: number;
  /** For a file, whole. */
  readonly file: number;
}

const usual: BucketLimits = { request: 20_000, file: 3_600_000 };

/** Of a list, a thousand keys each: no record has more. */
const mostPages = 200;

/** Opens a bucket; asks nothing yet. Credentials are found as AWS tools find them. */
export function openBucket(place: BucketPlace, limits: BucketLimits = usual): Bucket {
  const { bucket: Bucket, endpoint, region, profile, pathStyle } = place;
  let opening: ReturnType<typeof open> | undefined;
  const open = async () => {
    // Loaded where a store is a bucket: it is large.
    const sdk = await import("@aws-sdk/client-s3");
    const client = new sdk.S3Client({
      ...given({ endpoint, region, profile }),
      forcePathStyle: pathStyle,
      maxAttempts: 3,
      // Not every maker knows Amazon's new sums.
      ...{ requestChecksumCalculation: "WHEN_REQUIRED", responseChecksumValidation: "WHEN_REQUIRED" },
    });
    // An object is read by whoever asked for it; every other answer is taken whole.
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const answered = await next(args);
          const response = answered.response as { body?: Readable };
          if (commandName !== "GetObjectCommand" && response.body) response.body = upTo(answerLimit, response.body);
          return answered;
        },
      { step: "deserialize", priority: "low", name: "upToALimit" },
    );
    return { sdk, client };
  };
  /** One request, to its whole answer. */
  const ask = async <T>(
    what: "read" | "written",
    limit: number,
    work: (s3: Awaited<ReturnType<typeof open>>, options: { abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T> => {
    const abort = new AbortController();
    opening ??= open();
    const s3 = await opening;
    try {
      return await withTimeout(
        work(s3, { abortSignal: abort.signal }),
        limit,
        `no whole answer within ${limit / 1000} s`,
      );
    } catch (error) {
      throw storeFault(faultText(what, place, error as Error));
    } finally {
      abort.abort();
    }
  };
  return {
    list: (prefix) =>
      ask("read", limits.request, async ({ sdk, client }, options) => {
        const found: Listed[] = [];
        let token: string | undefined;
        for (let pages = 0; ; pages += 1) {
          if (pages === mostPages) throw new Error(`a list of more than ${mostPages} pages`);
          const page = await client.send(
            new sdk.ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken: token }),
            options,
          );
          for (const { Key, Size } of page.Contents ?? [])
            if (Key !== undefined) found.push({ key: Key, bytes: Size ?? -1 });
          if (page.IsTruncated !== true) break;
          if (page.NextContinuationToken === undefined) throw new Error("a list that does not go on where it was cut");
          token = page.NextContinuationToken;
        }
        return found.sort((a, b) => (a.key < b.key ? -1 : 1));
      }),
    text: (Key) =>
      ask("read", limits.request, async ({ sdk, client }, options) => {
        const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key }), options);
        return Body === undefined ? "" : boundedTextOf(Body as Readable);
      }),
    stream: async (Key) => {
      const { Body } = await ask("read", limits.request, ({ sdk, client }) =>
        // What is read later has a limit of its own.
        client.send(new sdk.GetObjectCommand({ Bucket, Key }), { abortSignal: AbortSignal.timeout(limits.file) }),
      );
      return Body as Readable;
    },
    head: (Key) =>
      ask("read", limits.request, async ({ sdk, client }, options) => {
        try {
          const { ContentLength, Metadata } = await client.send(new sdk.HeadObjectCommand({ Bucket, Key }), options);
          return {
            bytes: ContentLength ?? -1,
            ...(Metadata?.sha256 === undefined ? {} : { sha256: Metadata.sha256 }),
          };
        } catch (error) {
          if (statusOf(error as Error) === 404) return undefined;
          throw error;
        }
      }),
    put: (Key, Body, ContentLength, sha256) =>
      ask("written", typeof Body === "string" ? limits.request : limits.file, async ({ sdk, client }, options) => {
        const object = { Bucket, Key, Body, ContentLength, IfNoneMatch: "*", Metadata: { sha256 } };
        try {
          await client.send(new sdk.PutObjectCommand(object), options);
          return true;
        } catch (error) {
          if (statusOf(error as Error) === 412) return false;
          throw error;
        }
      }),
  };
}

/** A stream that fails beyond so many bytes. */
function upTo(limit: number, stream: Readable): Readable {
  let size = 0;
  const bounded = new Transform({
    transform: (chunk: Buffer, _encoding, next) => {
      size += chunk.length;
      next(size > limit ? tooLarge("the answer", limit) : null, chunk);
    },
  });
  stream.on("error", (error) => bounded.destroy(error));
  bounded.on("close", () => stream.destroy());
  return stream.pipe(bounded);
}

function statusOf(error: Error): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function faultText(what: "read" | "written", { bucket, prefix, shown, endpoint }: BucketPlace, error: Error): string {
  const status = statusOf(error);
  const { name, message } = error;
  const words = [status, name === "Error" ? undefined : printable(name), printable(firstLine(message))];
  const at = endpoint === undefined ? "" : ` --endpoint-url ${endpoint}`;
  return [
    `the store of the records can't be ${what}: ${shown}; without it nothing is decided`,
    `  found: ${words.filter((each) => each !== undefined && each !== "").join(" ")}`,
    "  needed: a bucket that answers, and credentials that may list, read and write in it, found as AWS tools find them",
    "  (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
    `  Look with: aws s3 ls s3://${bucket}/${prefix}${at}; then run the same command again`,
  ].join("\n");
}
