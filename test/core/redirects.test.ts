import http from "node:http";
import { afterEach, expect, test } from "vitest";
import { callReference } from "../../core/chain/jsonRpc.ts";
import { createHttp } from "../../core/cloud/http.ts";
import { readPower } from "../../core/cloud/power.ts";
import { sendNotice } from "../../core/notify/notify.ts";
import { listen, type Server } from "./chain/fakes.ts";

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function serve(handler: http.RequestListener): Promise<string> {
  const server = await listen(http.createServer(handler));
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

const sleep = async () => undefined;
const faultOf = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message);
const notice = { event: "test", title: "a", message: "b" } as const;

const clients: readonly (readonly [name: string, ask: (url: string) => Promise<string>])[] = [
  ["webhook", async (url) => String(await sendNotice(`${url}/s3cret`, notice, 1))],
  ["reference", (url) => faultOf(callReference(url, "stats.syncInfo", [], 5000))],
  [
    "cloud",
    (endpoint) => {
      return faultOf(createHttp({ provider: "Cloud", endpoint, token: "t", sleep }).get("/servers", "servers"));
    },
  ],
  ["power switch", (endpoint) => faultOf(readPower({ provider: "hetzner", id: "7", token: "t", endpoint }, { sleep }))],
];

const cases = clients.flatMap(([name, ask]) => [301, 302, 307, 308].map((status) => ({ name, status, ask })));

test.each(cases)(
  "$name: a redirect ($status) is not followed, and the fault names the new origin",
  async ({ status, ask }) => {
    const arrived: string[] = [];
    const inner = await serve((request, response) => {
      arrived.push(`${request.method} ${request.url}`);
      response.end("{}");
    });
    const outer = await serve((_, response) => {
      const location = status < 307 ? inner : inner.replace("//", "//user:s3cret@");
      response.writeHead(status, { location: `${location}/path?token=s3cret` }).end();
    });
    const fault = await ask(outer);
    expect(arrived).toEqual([]);
    expect(fault).toContain(`it redirects to ${inner}`);
    expect(fault).not.toContain("s3cret");
  },
);

test.each(clients)("%s: a redirect without a usable address is a fault, too", async (_, ask) => {
  const outer = await serve((_request, response) => response.writeHead(302, { location: "http://[" }).end());
  expect(await ask(outer)).toContain("it redirects to an address that can't be read");
});

test.each(clients)("%s: user and password of an address are in no fault", async (_, ask) => {
  expect(await ask("http://user:s3cretpw@127.0.0.1:9")).not.toContain("s3cretpw");
});
