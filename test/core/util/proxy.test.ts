import { execFile } from "node:child_process";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatRequestError, sendRequest } from "../../../core/util/sendRequest.ts";

/** A proxy that answers with the status in the name of the asked host, such as `s407.invalid`, and what it was asked. */
const asked: string[] = [];
const proxy = http.createServer();
proxy.on("connect", ({ url = "" }, socket) => {
  asked.push(url);
  const [, status] = /^s(\d+)\./.exec(url) ?? [];
  socket.end(status === undefined ? "<html>portal</html>" : `HTTP/1.1 ${status} no\r\n\r\n`);
});
let at: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  at = `http://me:hunter2@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(() => void proxy.close());

/** Runs a script in a process of this program. */
async function run(script: string, env: Readonly<Record<string, string>>, before = ""): Promise<string> {
  const text = `${before}require("./core/util/start.cjs").start(1);(async () => { ${script} })()`;
  const args = ["--no-warnings", "--input-type=commonjs", "-e", text];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH, ...env } });
  return stdout.trim();
}

const request = (url: string, variables: Readonly<Record<string, string>>) =>
  run(
    `const { sendRequest } = await import("./core/util/sendRequest.ts");
    await sendRequest("${url}", {}, 5000).catch(({ message }) => console.log(message));`,
    variables,
  );

test.each([
  [
    "https://s407.invalid/topic",
    "",
    /^the proxy answers 407 \(it wants a user and password: http:\/\/USER:PASSWORD@HOST/,
  ],
  [
    "http://s403.invalid:35997/topic",
    "",
    /^the proxy answers 403 \(HTTPS_PROXY or HTTP_PROXY has its address; NO_PROXY/,
  ],
  ["https://portal.invalid/topic", "", /^what answers there speaks no HTTP$/],
  ["https://api.invalid/topic", "http://proxy.invalid:3128", /^\w+ at the proxy proxy\.invalid \(HTTPS_PROXY or/],
  ["https://api.invalid/topic", "http://localhost:9", /^ECONNREFUSED at the proxy \S+:9 \(/],
])("a request to %s through %j fails with its reason, and no secret", async (url, through, reason) => {
  const said = await request(url, { HTTPS_PROXY: through || at, HTTP_PROXY: through || at });
  expect(said).toMatch(reason);
  expect(said).not.toMatch(/topic|hunter2|api\.invalid/);
});

test.each([
  ["https://api.invalid./topic", /^(ENOTFOUND|EAI_AGAIN)$/],
  ["https://localhost:65009/topic", /^ECONNREFUSED$/],
])("a request to %s without a proxy blames none", async (url, reason) => {
  await expect(sendRequest(url, {}, 5000)).rejects.toThrow(reason);
});

test("an old Node that uses no proxy is named, with its cure, unless it was told to use one", async () => {
  const ask = (env: object) =>
    run(
      `const { createHttp } = await import("./core/cloud/http.ts");
      const api = { provider: "Cloud", endpoint: "http://127.0.0.1:65009", token: "t", sleep: async () => undefined };
      await createHttp(api).get("/x", "x").catch(({ message }) => console.log(message));`,
      { HTTPS_PROXY: at, ...env },
      `delete require("node:http").setGlobalProxyFromEnv;`,
    );
  expect(await ask({})).toMatch(/ECONNREFUSED \(Node \S+ uses no proxy: update it to 24\.14 .*NODE_USE_ENV_PROXY=1\)$/);
  expect(await ask({ NODE_USE_ENV_PROXY: "1" })).toMatch(/: ECONNREFUSED\n .* curl -sSI http:\/\/127\.0\.0\.1:65009$/);
});

test.each([
  ["http://elsewhere.invalid/", /^(ENOTFOUND|EAI_AGAIN) at elsewhere\.invalid, to which it redirects$/],
  ["http://127.0.0.1:65009/", /^ECONNREFUSED at 127\.0\.0\.1:65009, to which it redirects$/],
])("a fault where a redirect leads is no fault of a proxy: %s", async (location, text) => {
  const redirecting = http.createServer((_, response) => response.writeHead(302, { location }).end());
  await new Promise<void>((resolve) => redirecting.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/`;
  const error: unknown = await fetch(url).catch((thrown: unknown) => thrown);
  expect(formatRequestError(error, url, 5000)).toMatch(text);
  redirecting.close();
});

test("an authority that Node does not know gets its cure, and an expired certificate not", () => {
  const format = (code: string) => formatRequestError({ cause: { code } }, "https://api.invalid", 5000);
  for (const code of [
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  ])
    expect(format(code)).toMatch(/^\w+ \(.*NODE_EXTRA_CA_CERTS/);
  expect(format("CERT_HAS_EXPIRED")).toBe("CERT_HAS_EXPIRED");
});

test("a bucket is asked through the proxy, as Pulumi's backend is", async () => {
  const keys = { AWS_ACCESS_KEY_ID: "operator", AWS_SECRET_ACCESS_KEY: "hunter2-of-the-bucket" };
  const said = await run(
    `const { openBucket } = await import("./core/store/s3.ts");
    const { parseBucketAddress } = await import("./core/store/bucketAddress.ts");
    const place = parseBucketAddress("s3://state?endpoint=https%3A%2F%2Fs403.s3.invalid&s3ForcePathStyle=true#Anvil");
    await openBucket(place, { request: 5000, file: 5000 }).list("x").catch(({ message }) => console.log(message));`,
    { HTTPS_PROXY: at, ...keys },
  );
  expect(asked).toContain("s403.s3.invalid:443");
  expect(said).toContain("403");
  expect(said).not.toMatch(/hunter2|set credentials/);
});
