import { randomUUID } from "node:crypto";
import type { Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ChainClient } from "../chain/client.ts";
import type { OrchestratorSettings } from "../chain/settings.ts";
import type { Beat } from "../chain/signers.ts";
import { listenTcp, RpcPort } from "../node/ports.ts";
import { ChainLink } from "./chainLink.ts";
import { firstLines, harmlessLines, type Log, logLine } from "./logLines.ts";
import { createMethods, orchestratorBuild, peerIdOf } from "./methods.ts";
import { bridgeInfo, canDial, isSynced, NodeLink } from "./nodeSync.ts";
import { createRpcServer } from "./rpcServer.ts";
import { SignerState } from "./signerState.ts";

/** An orchestrator double. It waits until its node is synced, then signs, and reports that to the chain double. */
export class OrchestratorDouble {
  private readonly chain: ChainClient;
  private readonly link: ChainLink;
  private readonly node: NodeLink;
  private readonly process = randomUUID();
  private readonly directory: SignerState;
  private readonly rpc: RpcPort;
  private p2p: Server | undefined;
  private readonly call: (method: string) => Promise<unknown> | undefined;
  private readonly timers: NodeJS.Timeout[] = [];
  private isReady = false;
  private ended = false;
  private stopping = false;

  /**
   * @param chainUrl base URL of the chain double
   * @param name of this host in the chain double
   * @param onReady runs once the process can shut down cleanly; before that, a signal ends it at once
   */
  constructor(
    dir: string,
    chainUrl: string,
    name: string,
    private readonly onReady: () => void,
  ) {
    this.chain = new ChainClient(chainUrl);
    this.link = new ChainLink(this.chain, name, () => this.beginKeyGeneration());
    this.call = createMethods({
      chain: this.chain,
      build: () => this.build,
      state: () => this.state,
      networks: () => bridgeNetworks,
      producer: () => this.directory.producer,
      statusStands: () => this.directory.config.HealthConfig.CachedResponseDelay * 1000,
    });
    this.rpc = new RpcPort(undefined, 55000);
    this.directory = new SignerState(dir, this.log);
    this.node = new NodeLink(this.log);
  }

  /** Starts like the real orchestrator and returns once it signs. Ends the process where the real one would. */
  async start(): Promise<void> {
    await this.link.poll();
    try {
      for (const line of firstLines(this.build.version, this.build.gitCommit)) console.log(line);
      this.directory.open();
      await this.dialNodes();
      this.directory.openProducer();
      await this.waitForNode();
      if (this.ended) return;
      this.directory.loadKeyShare(await bridgeInfo(this.node.rpcUrl));
      this.directory.rewrite();
      this.isReady = true;
      this.onReady();
      await this.tell("start");
      this.p2p = await listenTcp("0.0.0.0", 55055);
      await this.followRpc();
    } catch (error) {
      return this.fail(error);
    }
    // A stop can arrive before every port is open.
    if (this.ended) return this.close();
    this.log("INFO", "node/node.go:236", `Current state is: ${this.state === 0 ? "LiveState" : this.state}`);
    for (const [level, place, text] of harmlessLines) this.log(level, place, text);
    const { crashAfterMs } = this.settings;
    if (crashAfterMs !== null) this.timers.push(setTimeout(() => this.panic(), crashAfterMs));
    this.timers.push(setInterval(() => this.directory.writeEvents(), 500));
    void this.beat();
  }

  /** Shuts down cleanly. Signs until the end of the stop, which takes `stopMs`, then rewrites config.json. */
  async stop(): Promise<void> {
    if (this.stopping || this.ended) return;
    this.stopping = true;
    this.log("WARN", "app/manager.go:94", "Stopping orchestrator ...");
    this.log("INFO", "node/node.go:283", "stopping node ...");
    await this.link.poll();
    await sleep(this.settings.stopMs);
    this.directory.rewrite();
    this.log("INFO", "node/node.go:250", "releasing dataDir lock ... ");
    this.close();
    await this.tell("stop");
    process.exit(0);
  }

  private get settings(): OrchestratorSettings {
    return this.link.settings;
  }

  private get state(): number {
    return this.settings.state ?? this.directory.number;
  }

  private get build() {
    return { ...orchestratorBuild, ...(this.settings.version ? { version: this.settings.version } : {}) };
  }

  /**
   * Connects to the nodes of one network after another, and ignores configured networks that the bridge does not use.
   * @throws if no node of a network accepts a connection
   */
  private async dialNodes(): Promise<void> {
    const { Networks } = this.directory.config;
    for (const name of ["Zenon", ...bridgeNetworks]) {
      const urls = Networks[name]?.Urls;
      if (urls === undefined)
        throw new Error(`wrong network initializers ${bridgeNetworks.length} for network ${name}`);
      if (name === "Zenon") await this.node.dial(urls);
      else if (!(await Promise.all(urls.map(canDial))).includes(true))
        throw new Error("cannot connect to any url on evm");
    }
  }

  private async waitForNode(): Promise<void> {
    // It dials again by itself, and does not survive a refusal (network/znn.go:933).
    const redial = () =>
      this.node.isOpen ? undefined : this.node.dial(this.directory.config.Networks.Zenon?.Urls ?? []);
    const ask = async () => {
      await redial();
      return isSynced(this.node.rpcUrl);
    };
    const isThere = () => ask().catch(() => this.panic());
    while (!this.ended && !(await isThere())) {
      const asked = Date.now();
      this.log("INFO", "node/node.go:109", "node is syncing, will wait for it to finish");
      while (!this.ended && Date.now() - asked < this.settings.syncPollMs) {
        await sleep(Math.min(300, this.settings.syncPollMs));
        await this.link.poll();
      }
    }
  }

  /** Opens or closes the RPC as the settings require. */
  private async followRpc(): Promise<void> {
    if (this.settings.rpcDown) await this.rpc.close();
    else if (!this.rpc.isOpen) await this.rpc.open(createRpcServer(this.call, () => this.settings.freeze));
  }

  private async beat(): Promise<void> {
    while (!this.ended) {
      await this.tell("beat");
      if (this.ended) return;
      this.directory.halt(this.settings.halted);
      await this.followRpc().catch(() => undefined);
      if (this.hasLostNode()) return this.stop();
      await sleep(beatMs);
    }
  }

  /**
   * True if the node's WebSocket broke. The orchestrator then shuts down with exit code 0, and its unit restarts it
   * (network/znn.go:793).
   */
  private hasLostNode(): boolean {
    if (this.node.isOpen) return false;
    this.log("DEBUG", "network/znn.go:793", "listen mom err: websocket: close 1006 (abnormal closure): unexpected EOF");
    return true;
  }

  private tell(kind: Beat["kind"]): Promise<void> {
    const { producer, hasShare } = this.directory;
    return this.link.tell({ kind, identity: peerIdOf(producer), process: this.process, hasShare });
  }

  private beginKeyGeneration(): void {
    if (this.isReady && !this.ended) this.directory.beginKeyGeneration();
  }

  private close(): void {
    this.ended = true;
    for (const timer of this.timers) clearTimeout(timer);
    void this.rpc.close();
    this.p2p?.close();
    this.node.close();
    this.directory.release();
  }

  private panic(): false {
    console.error("panic: runtime error: invalid memory address or nil pointer dereference");
    this.end(2);
    return false;
  }

  private fail(error: unknown): void {
    const { message } = error as Error;
    this.log("INFO", "app/manager.go:37", `failed to create the node\t${JSON.stringify({ reason: message })}`);
    console.error(message);
    this.end(1);
  }

  private end(code: number): void {
    this.close();
    process.exit(code);
  }

  private readonly log: Log = (level, place, text) => console.error(logLine(level, place, text));
}

/** Names of the networks in the bridge. */
const bridgeNetworks = ["Ethereum", "BNB Chain"];

const beatMs = 250;
