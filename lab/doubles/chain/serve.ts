import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as bodyOf } from "node:stream/consumers";
import { z } from "zod";
import { StallWatch } from "../stalls.ts";
import { bridgePatchSchema, sporksSchema } from "./bridge.ts";
import { Chain } from "./chain.ts";
import { nodeReportSchema } from "./nodes.ts";
import { addressSchema, pillarPatchSchema, Refused } from "./registration.ts";
import { nodeSettingsSchema, orchestratorSettingsSchema } from "./settings.ts";
import { beatSchema } from "./signers.ts";
import { truthPatchSchema } from "./truth.ts";

export interface ServedChain {
  chain: Chain;
  /** Base URL for nodes and tests. */
  url: string;
  close(): Promise<void>;
}

/** Serves a chain's control API. Its routes are listed in lab/doubles/README.md. */
export async function serveChain(options: { host: string; port: number; chain?: Chain }): Promise<ServedChain> {
  const chain = options.chain ?? new Chain();
  const server = createServer((request, response) => {
    answer(chain, request, response).catch((error: unknown) => {
      if (error instanceof z.ZodError) send(response, 400, { error: z.prettifyError(error) });
      else if (error instanceof Refused) send(response, 404, { error: error.message });
      else send(response, 500, { error: String(error) });
    });
  });
  await once(server.listen(options.port, options.host), "listening");
  const watch = new StallWatch();
  const beat = setInterval(() => {
    const stall = watch.beat();
    if (stall) chain.stalls.push(stall);
  }, 100);
  const { port } = server.address() as AddressInfo;
  return {
    chain,
    url: `http://${options.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        clearInterval(beat);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A request's parts that routes need. */
interface Asked {
  readonly chain: Chain;
  /** Part of the path. */
  readonly name: string;
  readonly body: unknown;
  readonly query: URLSearchParams;
  /** Returns a number of the query. */
  readonly number: (key: string, fallback: number) => number;
}

const producerUpdate = z.strictObject({ producerAddress: addressSchema });

const routes: Readonly<Record<string, (asked: Asked) => unknown>> = {
  "GET truth": ({ chain }) => chain.truth(),
  "PATCH truth": ({ chain, body }) => {
    chain.patchTruth(truthPatchSchema.parse(body));
    return chain.truth();
  },
  "GET nodes NAME": ({ chain, name }) => chain.node(name),
  "PATCH nodes NAME": ({ chain, name, body }) => chain.patchNode(name, nodeSettingsSchema.partial().parse(body)),
  "POST nodes NAME report": ({ chain, name, body }) => {
    chain.report(name, nodeReportSchema.parse(body));
    return chain.node(name);
  },
  "GET nodes NAME reports": ({ chain, name }) => chain.reportsOf(name),
  "GET momentums": ({ chain, query, number }) =>
    query.has("before")
      ? (chain.momentumBefore(number("before", 0)) ?? null)
      : chain.momentums(number("from", 1), Math.min(number("count", 1), momentumsAtOnce)),
  "GET momentums NAME": ({ chain, name }) => chain.momentum(Number(name)) ?? null,
  "GET pillars": ({ chain }) => chain.allPillars(),
  "PATCH pillars NAME": ({ chain, name, body }) => chain.patchPillar(name, pillarPatchSchema.parse(body)),
  "GET electorate": ({ chain }) => chain.electorate(),
  "GET epochs NAME": ({ chain, name, number }) => chain.epochsOf(name, number("page", 0), number("size", 10)),
  "GET rewards NAME": ({ chain: { rewards }, name, number }) => ({
    uncollected: rewards.of(name),
    page: rewards.page(name, number("page", 0), number("size", 10)),
  }),
  "POST wallet pillars NAME": ({ chain, name, body }) =>
    chain.updateProducer(name, producerUpdate.parse(body).producerAddress),
  "POST wallet rewards NAME collect": ({ chain, name }) => chain.rewards.collect(addressSchema.parse(name)),
  "GET production": ({ chain }) => chain.production(),
  "GET bridge": ({ chain }) => chain.bridge.view(),
  "PATCH bridge": ({ chain, body }) => chain.bridge.patch(bridgePatchSchema.parse(body)),
  "GET sporks": ({ chain }) => chain.sporks,
  "PATCH sporks": ({ chain, body }) => {
    chain.sporks = sporksSchema.parse(body).list;
    return chain.sporks;
  },
  "GET orchestrators NAME": ({ chain, name }) => chain.orchestrators.view(name),
  "PATCH orchestrators NAME": ({ chain, name, body }) =>
    chain.orchestrators.patch(name, orchestratorSettingsSchema.partial().parse(body)),
  "POST orchestrators NAME beat": ({ chain, name, body }) => {
    chain.signers.hear(name, beatSchema.parse(body));
    return chain.orchestrators.view(name);
  },
  "POST orchestrators NAME keyGeneration": ({ chain, name }) => chain.orchestrators.generateKey(name),
  "GET signers": ({ chain }) => chain.signers.truth(),
};

// No caller needs more, and a typo in a URL must not fill the memory.
const momentumsAtOnce = 10_000;

async function answer(chain: Chain, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://chain");
  const [, kind = "", rawName = "", rest = ""] = /^\/((?:wallet\/)?[^/]*)\/?([^/]*)\/?([^/]*)/.exec(pathname) ?? [];
  const name = decodeURIComponent(rawName);
  const text = request.method === "GET" ? "" : await bodyOf(request);
  const parts = [request.method, kind.replace("/", " "), name === "" ? "" : "NAME", rest];
  const route = routes[parts.filter((part) => part !== "").join(" ")];
  if (route === undefined) return send(response, 404, { error: `no such route: ${request.method} ${pathname}` });
  const body: unknown = text === "" ? {} : JSON.parse(text);
  const number = (key: string, fallback: number) => Number(query.get(key) ?? fallback);
  send(response, 200, route({ chain, name, body, query, number }));
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = `${JSON.stringify(value)}\n`;
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}
