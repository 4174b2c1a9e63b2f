import { Agent, request } from "node:http";
import type { BridgeInfo, Spork } from "./bridge";
import type { NodeReport, OrchestratorView } from "./nodes";
import type { EpochReward, UncollectedReward } from "./rewards";
import type { Beat } from "./signers";
import type { Momentum } from "./timeline";
import type { EpochFigures, NodeView, PillarView } from "./truth";

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
    this.call<{ count: number; list: EpochFigures[] }>(
      "GET",
      `/epochs/${encodeURIComponent(name)}?page=${page}&size=${size}`,
    );
  rewards = (address: string, page = 0, size = 10) =>
    this.call<RewardsView>("GET", `/rewards/${address}?page=${page}&size=${size}`);
  bridge = () => this.call<BridgeInfo>("GET", "/bridge");
  sporks = () => this.call<Spork[]>("GET", "/sporks");
  orchestrator = (name: string) => this.call<OrchestratorView>("GET", `/orchestrators/${encodeURIComponent(name)}`);
  beat = (name: string, beat: Beat) =>
    this.call<OrchestratorView>("POST", `/orchestrators/${encodeURIComponent(name)}/beat`, beat);

  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await this.ask(method, path, body === undefined ? "" : JSON.stringify(body));
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text.trim()}`);
    return JSON.parse(text) as T;
  }

  // fetch would double the CPU time of each node, because a node sends several requests a second.
  private ask(method: string, path: string, body: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.url}${path}`,
        { method, agent, headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) } },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (part: string) => {
            text += part;
          });
          response.on("error", reject);
          response.on("end", () => {
            clearTimeout(timer);
            resolve({ status: response.statusCode ?? 0, text });
          });
        },
      );
      const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${this.timeoutMs} ms`)), this.timeoutMs);
      sent.on("error", (error) => {
        clearTimeout(timer);
        reject(error);
      });
      sent.end(body);
    });
  }
}

export interface RewardsView {
  uncollected: UncollectedReward;
  page: { count: number; list: EpochReward[] };
}
