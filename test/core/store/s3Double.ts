import http from "node:http";
import type { AddressInfo } from "node:net";
import { evilText } from "../../evilText.ts";

/** Its behaviour: correct, no answer, forbidden in words that control a terminal, half an answer, a broken upload. */
export type Mood = "well" | "slow" | "forbidden" | "cut" | "halfTaken";

/** A bucket's server on this machine, with the requests of a store and their failures. */
export interface S3Double {
  readonly endpoint: string;
  readonly objects: Map<string, { readonly body: Buffer; readonly sha256: string }>;
  mood: Mood;
  close(): void;
}

/** Keys of a page of a list: few, so that lists have several pages. */
const page = 3;

export async function startS3Double(bucket: string): Promise<S3Double> {
  const objects: S3Double["objects"] = new Map();
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      if (request.complete) answer(request, response, Buffer.concat(chunks));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const double: S3Double = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    mood: "well",
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const fail = (response: http.ServerResponse, status: number, code: string, words = `${code} it is`) => {
    response.statusCode = status;
    // The text is escaped for XML.
    const written = [...words].map((letter) => `&#${letter.codePointAt(0)};`).join("");
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${written}</Message></Error>`);
  };
  const answer = (request: http.IncomingMessage, response: http.ServerResponse, body: Buffer) => {
    const { pathname, searchParams } = new URL(request.url ?? "", double.endpoint);
    const [name, ...parts] = pathname.slice(1).split("/").map(decodeURIComponent);
    const key = parts.join("/");
    if (double.mood === "slow") return;
    if (double.mood === "forbidden") return fail(response, 403, "AccessDenied", evilText);
    if (name !== bucket) return fail(response, 404, "NoSuchBucket");
    if (request.method === "PUT") {
      if (double.mood === "halfTaken") return void request.socket.destroy();
      if (request.headers["if-none-match"] === "*" && objects.has(key))
        return fail(response, 412, "PreconditionFailed");
      objects.set(key, { body, sha256: String(request.headers["x-amz-meta-sha256"]) });
      return void response.end();
    }
    if (key === "") return list(response, searchParams);
    const found = objects.get(key);
    if (found === undefined) return fail(response, 404, "NoSuchKey");
    response.setHeader("content-length", found.body.length);
    response.setHeader("x-amz-meta-sha256", found.sha256);
    if (request.method === "HEAD") return void response.end();
    if (double.mood !== "cut") return void response.end(found.body);
    response.write(found.body.subarray(0, Math.floor(found.body.length / 2)), () => request.socket.destroy());
  };
  const list = (response: http.ServerResponse, query: URLSearchParams) => {
    const from = query.get("continuation-token") ?? "";
    const keys = [...objects.keys()].filter((key) => key.startsWith(query.get("prefix") ?? "") && key > from).sort();
    const shown = keys.slice(0, page);
    const isCut = keys.length > page;
    const size = (key: string) => objects.get(key)?.body.length;
    const contents = shown.map((key) => `<Contents><Key>${key}</Key><Size>${size(key)}</Size></Contents>`);
    const next = isCut ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : "";
    response.end(
      `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`,
    );
  };
  return double;
}
