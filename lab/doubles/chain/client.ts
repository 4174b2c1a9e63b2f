import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import type { BridgeInfo, Spork } from "./bridge.ts";
import type { Chain, NodeView, PillarView } from "./chain.ts";
import type { NodeReport, OrchestratorView } from "./nodes.ts";
import type { Rewards } from "./rewards.ts";
import type { Beat } from "./signers.ts";
import type { Momentum } from "./timeline.ts";

const agent = new Agent({ keepAlive: true });

/** Client of the chain double's control API, for nodes and orchestrators. */
export class ChainClient {
  constructor(
    private readonly url: string,
    private readonly timeoutMs = 2000,
  ) {}

  node = (name: string) => this.call<NodeView>("GET", `/nodes/${encodeURIComponent(name)}`);
  report = (name: string, report: Omit<NodeReport, "at">) =>
    this.call<NodeView>("POST", `/nodes/${encodeURIComponent(name)}/report`, report);
  momentum = (height: number) => this.call<Momentum | null>("GET", `/momentums/${height}`);
  momentums = (from: number, count: number) => this.call<Momentum[]>("GET", `/momentums?from=${from}&count=${count}`);
  momentumBefore = (seconds: number) => this.call<Momentum | null>("GET", `/momentums?before=${seconds}`);
  pillars = () => this.call<PillarView[]>("GET", "/pillars");
  electorate = () => this.call<PillarView[]>("GET", "/electorate");
  epochs = (name: string, page: number, size: number) =>
    this.call<ReturnType<Chain["epochsOf"]>>("GET", `/epochs/${encodeURIComponent(name)}?page=${page}&size=${size}`);
  rewards = (address: string, page = 0, size = 10) =>
    this.call<{ uncollected: ReturnType<Rewards["of"]>; page: ReturnType<Rewards["page"]> }>(
      "GET",
      `/rewards/${address}?page=${page}&size=${size}`,
    );
  bridge = () => this.call<BridgeInfo>("GET", "/bridge");
  sporks = () => this.call<Spork[]>("GET", "/sporks");
  orchestrator = (name: string) => this.call<OrchestratorView>("GET", `/orchestrators/${encodeURIComponent(name)}`);
  beat = (name: string, beat: Beat) =>
    this.call<OrchestratorView>("POST", `/orchestrators/${encodeURIComponent(name)}/beat`, beat);

  // fetch would double the CPU time of each node, because a node sends several requests a second.
  private async call<T>(method: string, path: string, given?: unknown): Promise<T> {
    const body = given === undefined ? "" : JSON.stringify(given);
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const signal = AbortSignal.timeout(this.timeoutMs);
    const sent = request(`${this.url}${path}`, { method, agent, headers, signal });
    // A connection may fail after its answer began, when nothing else listens.
    sent.on("error", () => undefined).end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const answer = await text(response);
    if (response.statusCode !== 200) throw new Error(`${method} ${path}: ${response.statusCode} ${answer.trim()}`);
    return JSON.parse(answer) as T;
  }
}
