import { Agent, request } from "node:http";
import type { BridgeInfo, BridgePatch } from "./bridge";
import type { Momentum } from "./momentum";
import type { OrchestratorView } from "./orchestrators";
import type { PillarPatch } from "./pillars";
import type { Slot } from "./production";
import type { RegisteredPillar } from "./registration";
import type { NodeReport } from "./reports";
import type { EpochReward, RewardsPatch, UncollectedReward } from "./rewards";
import type { NodeSettingsPatch, OrchestratorSettingsPatch } from "./settings";
import type { Beat, SignersTruth } from "./signers";
import type { Spork, SporkGiven } from "./sporks";
import type { ChainTruth, EpochFigures, NodeView, PillarView, TruthPatch } from "./truth";

const agent = new Agent({ keepAlive: true });

/** Client of the chain double's control API, for nodes and tests. */
export class ChainClient {
  constructor(
    private readonly url: string,
    private readonly timeoutMs = 2000,
  ) {}

  node = (name: string) => this.call<NodeView>("GET", `/nodes/${encodeURIComponent(name)}`);
  patchNode = (name: string, patch: NodeSettingsPatch) =>
    this.call<NodeView>("PATCH", `/nodes/${encodeURIComponent(name)}`, patch);
  forgetNode = (name: string) => this.call<object>("DELETE", `/nodes/${encodeURIComponent(name)}`);
  report = (name: string, report: Omit<NodeReport, "at">) =>
    this.call<NodeView>("POST", `/nodes/${encodeURIComponent(name)}/report`, report);
  reports = (name: string) => this.call<NodeReport[]>("GET", `/nodes/${encodeURIComponent(name)}/reports`);
  truth = () => this.call<ChainTruth>("GET", "/truth");
  patchTruth = (patch: TruthPatch) => this.call<ChainTruth>("PATCH", "/truth", patch);
  momentum = (height: number) => this.call<Momentum | null>("GET", `/momentums/${height}`);
  momentums = (from: number, count: number) => this.call<Momentum[]>("GET", `/momentums?from=${from}&count=${count}`);
  momentumBefore = (seconds: number) => this.call<Momentum | null>("GET", `/momentums?before=${seconds}`);
  pillars = () => this.call<PillarView[]>("GET", "/pillars");
  pillar = (name: string) => this.call<PillarView | null>("GET", `/pillars/${encodeURIComponent(name)}`);
  electorate = () => this.call<PillarView[]>("GET", "/electorate");
  epochs = (name: string, page = 0, size = 10) =>
    this.call<{ count: number; list: EpochFigures[] }>(
      "GET",
      `/epochs/${encodeURIComponent(name)}?page=${page}&size=${size}`,
    );
  patchPillar = (name: string, patch: PillarPatch) =>
    this.call<RegisteredPillar>("PATCH", `/pillars/${encodeURIComponent(name)}`, patch);
  rewards = (address: string, page = 0, size = 10) =>
    this.call<RewardsView>("GET", `/rewards/${address}?page=${page}&size=${size}`);
  patchRewards = (address: string, patch: RewardsPatch) => this.call<object>("PATCH", `/rewards/${address}`, patch);
  updateProducer = (pillar: string, producerAddress: string) =>
    this.call<RegisteredPillar>("POST", `/wallet/pillars/${encodeURIComponent(pillar)}`, { producerAddress });
  collectRewards = (address: string) => this.call<UncollectedReward>("POST", `/wallet/rewards/${address}/collect`);
  production = () => this.call<Slot[]>("GET", "/production");
  bridge = () => this.call<BridgeInfo>("GET", "/bridge");
  patchBridge = (patch: BridgePatch) => this.call<BridgeInfo>("PATCH", "/bridge", patch);
  sporks = () => this.call<Spork[]>("GET", "/sporks");
  patchSporks = (list: readonly SporkGiven[]) => this.call<Spork[]>("PATCH", "/sporks", { list });
  orchestrator = (name: string) => this.call<OrchestratorView>("GET", `/orchestrators/${encodeURIComponent(name)}`);
  patchOrchestrator = (name: string, patch: OrchestratorSettingsPatch) =>
    this.call<OrchestratorView>("PATCH", `/orchestrators/${encodeURIComponent(name)}`, patch);
  forgetOrchestrator = (name: string) => this.call<object>("DELETE", `/orchestrators/${encodeURIComponent(name)}`);
  generateKey = (name: string, ms: number) =>
    this.call<OrchestratorView>("POST", `/orchestrators/${encodeURIComponent(name)}/keyGeneration`, { ms });
  beat = (name: string, beat: Beat) =>
    this.call<OrchestratorView>("POST", `/orchestrators/${encodeURIComponent(name)}/beat`, beat);
  signers = () => this.call<SignersTruth>("GET", "/signers");

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
