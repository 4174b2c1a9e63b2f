import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { StallWatch } from "../stalls";
import { bridgePatchSchema } from "./bridge";
import { Chain } from "./chain";
import { pillarPatchSchema } from "./pillars";
import { Refused } from "./registration";
import { nodeReportSchema } from "./reports";
import { nodeSettingsSchema, orchestratorSettingsSchema } from "./settings";
import { beatSchema } from "./signers";
import { sporksSchema } from "./sporks";
import { truthPatchSchema } from "./truth";
import { answerWallet } from "./walletRoutes";

const settingsPatch = nodeSettingsSchema.partial();
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
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const watch = new StallWatch();
  const beat = setInterval(() => {
    const stall = watch.beat();
    if (stall) chain.stalled(stall);
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

async function answer(chain: Chain, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://chain");
  const [kind = "", rawName = "", rest = ""] = url.pathname.split("/").slice(1);
  const name = decodeURIComponent(rawName);
  const body = request.method === "GET" ? {} : await readJson(request);
  const route = [request.method, kind, name === "" ? "" : "NAME", rest].filter((part) => part !== "").join(" ");
  const number = (key: string, fallback: number) => Number(url.searchParams.get(key) ?? fallback);
  const fromWallet = answerWallet(chain, request.method, url.pathname, body);
  if (fromWallet !== undefined) return send(response, 200, fromWallet);
  switch (route) {
    case "GET truth":
      return send(response, 200, chain.truth());
    case "PATCH truth":
      chain.patchTruth(truthPatchSchema.parse(body));
      return send(response, 200, chain.truth());
    case "GET nodes NAME":
      return send(response, 200, chain.node(name));
    case "PATCH nodes NAME":
      return send(response, 200, chain.patchNode(name, settingsPatch.parse(body)));
    case "POST nodes NAME report":
      chain.report(name, nodeReportSchema.parse(body));
      return send(response, 200, chain.node(name));
    case "GET nodes NAME reports":
      return send(response, 200, chain.reportsOf(name));
    case "GET momentums":
      if (url.searchParams.has("before")) return send(response, 200, chain.momentumBefore(number("before", 0)) ?? null);
      return send(response, 200, chain.momentums(number("from", 1), Math.min(number("count", 1), momentumsAtOnce)));
    case "GET momentums NAME":
      return send(response, 200, chain.momentum(Number(name)) ?? null);
    case "GET pillars":
      return send(response, 200, chain.allPillars());
    case "GET electorate":
      return send(response, 200, chain.electorate());
    case "GET epochs NAME":
      return send(response, 200, chain.epochsOf(name, number("page", 0), number("size", 10)));
    case "PATCH pillars NAME":
      return send(response, 200, chain.patchPillar(name, pillarPatchSchema.parse(body)));
    case "GET rewards NAME":
      return send(response, 200, {
        uncollected: chain.uncollectedReward(name),
        page: chain.rewardPage(name, number("page", 0), number("size", 10)),
      });
    case "GET production":
      return send(response, 200, chain.production());
    case "GET bridge":
      return send(response, 200, chain.bridge.view());
    case "PATCH bridge":
      return send(response, 200, chain.bridge.patch(bridgePatchSchema.parse(body)));
    case "GET sporks":
      return send(response, 200, chain.sporks);
    case "PATCH sporks":
      chain.sporks = sporksSchema.parse(body).list;
      return send(response, 200, chain.sporks);
    case "GET orchestrators NAME":
      return send(response, 200, chain.orchestrators.view(name));
    case "PATCH orchestrators NAME":
      return send(response, 200, chain.orchestrators.patch(name, orchestratorSettingsSchema.partial().parse(body)));
    case "POST orchestrators NAME beat":
      chain.signers.hear(name, beatSchema.parse(body));
      return send(response, 200, chain.orchestrators.view(name));
    case "POST orchestrators NAME keyGeneration":
      return send(response, 200, chain.orchestrators.generateKey(name));
    case "GET signers":
      return send(response, 200, chain.signers.truth());
    default:
      return send(response, 404, { error: `no such route: ${request.method} ${url.pathname}` });
  }
}

// No caller needs more, and a typo in a URL must not fill the memory.
const momentumsAtOnce = 10_000;

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : JSON.parse(text);
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = `${JSON.stringify(value)}\n`;
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}
