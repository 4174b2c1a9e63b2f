import http from "node:http";
import zlib from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { createHttp } from "../../../core/cloud/http.ts";
import { answerLimit, readBoundedStream, sendRequest } from "../../../core/util/sendRequest.ts";
import { listen, type Server } from "../chain/fakes.ts";

let server: Server | undefined;
afterEach(() => server?.close());

/** Starts a server that answers with some 150 KB that become 150 MB. */
async function servePacked() {
  const body = zlib.gzipSync(Buffer.alloc(150 * 1024 * 1024, " "));
  server = await listen(
    http.createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
    }),
  );
  return `http://127.0.0.1:${server.port}`;
}

test("an answer is read up to its limit, and a stream without an end is closed there", async () => {
  const bytes = () => new Blob(["123456789"]).stream();
  expect(await readBoundedStream(bytes(), 9)).toBe("123456789");
  await expect(readBoundedStream(bytes(), 8)).rejects.toMatchObject({ problem: { kind: "tooLarge" } });
  let given = 0;
  let isEnded = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      given += 1024 * 1024;
      controller.enqueue(new Uint8Array(1024 * 1024));
    },
    cancel: () => {
      isEnded = true;
    },
  });
  await expect(readBoundedStream(endless)).rejects.toThrow("the answer is larger than 5 MiB");
  expect(isEnded).toBe(true);
  // Some lie in the stream's own queue.
  expect(given).toBeLessThanOrEqual(answerLimit + 3 * 1024 * 1024);
});

test("a small answer that decompresses to a large one fails a request, and a cloud's API without a retry", async () => {
  const endpoint = await servePacked();
  await expect(sendRequest(endpoint, {}, 10_000)).rejects.toThrow("the answer is larger than 5 MiB");
  const slept: number[] = [];
  const sleep = async (milliseconds: number) => slept.push(milliseconds);
  const api = createHttp({ provider: "Cloud", endpoint, token: "t", sleep });
  await expect(api.get("/x", "x")).rejects.toThrow(
    `Cloud's API can't be used at ${endpoint}: the answer is larger than 5 MiB`,
  );
  expect(slept).toEqual([]);
});
