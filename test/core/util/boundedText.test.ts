import http from "node:http";
import zlib from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { openReferenceChain } from "../../../core/chain/chain";
import { createHttp } from "../../../core/cloud/http";
import { answerLimit, readBoundedResponse } from "../../../core/util/boundedText";
import { listen, type Server } from "../chain/fakes";

let server: Server | undefined;
afterEach(() => server?.close());

/** Starts a server that answers with these bytes repeatedly. */
async function serve(body: () => Buffer, headers: http.OutgoingHttpHeaders = {}) {
  const answering = http.createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(body());
  });
  server = await listen(answering);
  return `http://127.0.0.1:${server.port}`;
}

const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024, " ");
/** Serves some 150 KB that become 150 MB. */
const packed = () => serve(() => zlib.gzipSync(megabytes(150)), { "content-encoding": "gzip" });

describe("an answer", () => {
  test("is read up to its limit", async () => {
    const url = await serve(() => Buffer.from("123456789"));
    expect(await readBoundedResponse(await fetch(url), 9)).toBe("123456789");
    await expect(readBoundedResponse(await fetch(url), 8)).rejects.toMatchObject({ tooLarge: true });
    expect(await readBoundedResponse(new Response(null))).toBe("");
  });

  test("counts after decompression", async () => {
    await expect(readBoundedResponse(await fetch(await packed()))).rejects.toThrow("the answer is larger than 5 MiB");
  });

  test("is shortened at its limit if it has no end, and its stream is closed", async () => {
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
    await expect(readBoundedResponse(new Response(endless))).rejects.toThrow("the answer is larger than 5 MiB");
    expect(isEnded).toBe(true);
    // Some lie in the stream's own queue.
    expect(given).toBeLessThanOrEqual(answerLimit + 3 * 1024 * 1024);
  });
});

describe("a small answer that decompresses to a large one", () => {
  test("fails a reference", async () => {
    await expect(openReferenceChain(await packed()).newest()).rejects.toThrow("the answer is larger than 5 MiB");
  });

  test("fails a cloud's API without a retry", async () => {
    const endpoint = await packed();
    const slept: number[] = [];
    const api = createHttp({
      provider: "Cloud",
      endpoint,
      token: "t",
      sleep: async (milliseconds) => slept.push(milliseconds),
    });
    await expect(api.get("/x")).rejects.toThrow(
      `Cloud's API can't be used at ${endpoint}: the answer is larger than 5 MiB`,
    );
    expect(slept).toEqual([]);
  });
});
