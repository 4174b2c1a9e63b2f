import { createSocket } from "node:dgram";
import { mkdirSync } from "node:fs";
import type { Server } from "node:net";
import type { NetworkTruth, NodeView } from "../chain/chain.ts";
import { ChainClient } from "../chain/client.ts";
import { defaultNodeSettings } from "../chain/defaults.ts";
import type { NodeSettings } from "../chain/settings.ts";
import { type Stall, StallWatch } from "../stalls.ts";
import { readIntoCache } from "./cacheDatabase.ts";
import { closeDatabase, openDatabase, storedHeight, storeHeight } from "./database.ts";
import { ensureNetworkKey, openProducer, readConfig, readNetworkId } from "./dataDir.ts";
import { electionLine, momentumLine, nodeBuild, nodeVersion, startupDump } from "./logLines.ts";
import { nodeMethods } from "./methods.ts";
import { listenTcp, listenWebSocket, RpcPort } from "./ports.ts";
import { answerBody, createRpcServer } from "./rpcServer.ts";
import { Sync } from "./sync.ts";

/** Location of a node double, and the chain double that it asks. */
export interface NodeOptions {
  dataDir: string;
  listen: string;
  /** 0 picks any free port. */
  ports: { rpc: number; ws: number; p2p: number };
  /** Base URL of the chain double. */
  chainUrl: string;
  /** This node's name in the chain double. */
  name: string;
  /** Interval of looks at the settings, in milliseconds (default 300). */
  pollMs?: number;
  /** Milliseconds for which Pillar statistics are cached (default 5 minutes). */
  statsCacheMs?: number;
  print?(line: string): void;
}

/** A node double. It syncs towards the chain double's height and has the RPC flaws of the real node. */
export class NodeDouble {
  private settings = ownSettings(defaultNodeSettings);
  private network: NetworkTruth | undefined;
  private readonly chain: ChainClient;
  private readonly startedAt = Date.now();
  private producerAddress: string | null = null;
  private version = nodeVersion;
  private openedAt = Number.POSITIVE_INFINITY;
  private sync = new Sync(0, this.openedAt);
  private startHeight = 0;
  private readonly rpc: RpcPort;
  private readonly listeners: Server[] = [];
  private readonly p2p = createSocket("udp4");
  private readonly timers: NodeJS.Timeout[] = [];
  private stopped = false;
  private stored = -1;
  private readonly watch = new StallWatch();
  private stalls: Stall[] = [];
  private lastReport = 0;
  /** Time of the chain double's last answer, in milliseconds. */
  private heardAt = 0;
  private lastLine = 0;

  constructor(private readonly options: NodeOptions) {
    this.chain = new ChainClient(options.chainUrl);
    this.rpc = new RpcPort(options.listen, options.ports.rpc);
  }

  get rpcUrl(): string {
    return `http://${this.options.listen}:${this.rpc.port}`;
  }

  /** Starts like the real node, and ends the process where the real node would. */
  async start(): Promise<void> {
    const { dataDir, ports } = this.options;
    try {
      mkdirSync(dataDir, { recursive: true });
      const config = readConfig(dataDir);
      this.print(`go-node ${nodeVersion}`);
      this.print(startupDump(dataDir, config, ports));
      ensureNetworkKey(dataDir);
      if (config.Producer) this.producerAddress = openProducer(dataDir, config.Producer);
      openDatabase(dataDir);
    } catch (error) {
      return this.fail(`Failed to start the node; reason: ${error instanceof Error ? error.message : error}`);
    }
    await this.poll();
    this.version = this.settings.version ?? nodeVersion;
    if (this.settings.crashAfterMs !== null) this.every(this.settings.crashAfterMs, () => this.panic());
    await new Promise((resolve) => setTimeout(resolve, this.settings.startRefusedMs));
    try {
      await this.openCache();
    } catch (error) {
      return this.fail(`Failed to start the node; reason: ${(error as Error).message}`);
    }
    if (this.stopped) return;
    try {
      await this.listen();
    } catch (error) {
      const { code, port } = error as NodeJS.ErrnoException & { port?: number };
      const reason = code === "EADDRINUSE" ? "bind: address already in use" : String(error);
      return this.fail(`Failed to start the node; reason: listen tcp ${this.options.listen}:${port ?? ""}: ${reason}`);
    }
    this.openedAt = Date.now();
    this.startHeight = storedHeight(dataDir) ?? 0;
    this.sync = new Sync(this.startHeight, this.openedAt);
    if (this.network !== undefined) this.beginFresh(this.network.height);
    this.print(electionLine);
    this.watch.beat();
    this.every(100, () => this.tick());
    const pollMs = this.options.pollMs ?? 300;
    // The answer to a report has the settings, too.
    this.every(pollMs, () => Date.now() - this.heardAt < pollMs / 2 || void this.poll());
  }

  /** Shuts down cleanly, like the real node on a signal: finishes its writes, then closes the database. */
  async end(): Promise<void> {
    await this.stop();
    closeDatabase(this.options.dataDir);
    this.exit(0);
  }

  /** Stops all work and leaves the database open, like a crash. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers) clearInterval(timer);
    for (const listener of this.listeners) listener.close();
    try {
      this.p2p.close();
    } catch {
      // The socket was never opened.
    }
    await this.rpc.close();
  }

  private async openCache(): Promise<void> {
    const { cacheMs } = this.settings;
    if (cacheMs === null) return;
    const print = (line: string) => this.print(line);
    await readIntoCache({ dataDir: this.options.dataDir, cacheMs, isStopped: () => this.stopped, print });
  }

  private async listen(): Promise<void> {
    const { listen, ports } = this.options;
    this.listeners.push(
      await listenTcp(listen, ports.p2p),
      await listenWebSocket(listen, ports.ws, () => this.settings.freeze),
    );
    await new Promise<void>((resolve, reject) => {
      this.p2p.once("error", reject).bind(ports.p2p, listen, resolve);
    });
    if (!this.settings.rpcDown) await this.openRpc();
  }

  private async openRpc(): Promise<void> {
    const all = nodeMethods({
      chain: this.chain,
      id: readNetworkId(this.options.dataDir),
      syncInfo: () => this.info(),
      height: () => this.sync.height,
      peers: () => {
        this.info();
        return this.sync.peers;
      },
      version: () => this.version,
      settings: () => this.settings,
      statsCacheMs: this.options.statsCacheMs ?? 300_000,
    });
    const settings = () => this.settings;
    const answer = (body: string) => {
      const isMissing = (name: string) => this.settings.noRewards && rewardMethods.includes(name);
      return answerBody(body, Object.fromEntries(Object.entries(all).filter(([name]) => !isMissing(name))));
    };
    await this.rpc.open(createRpcServer({ settings, answer }));
  }

  private info() {
    const now = Date.now();
    this.sync.advance(now, this.settings, this.network);
    return this.sync.info(now, this.settings, this.network);
  }

  private tick(): void {
    const stall = this.watch.beat();
    if (stall) this.stalls.push(stall);
    const { height } = this.sync;
    const { state } = this.info();
    const now = Date.now();
    if (this.sync.height !== this.stored && (this.stored < 0 || now - this.lastReport >= 900)) {
      this.stored = this.sync.height;
      try {
        storeHeight(this.options.dataDir, this.stored);
        if (this.settings.cacheMs !== null) storeHeight(this.options.dataDir, this.stored, "cache");
      } catch (error) {
        this.panic(`write ${this.options.dataDir}/nom: ${(error as Error).message}`);
        return;
      }
    }
    if (this.sync.height > height && now - this.lastLine >= 5000) {
      this.lastLine = now;
      this.print(momentumLine(this.sync.height));
    }
    if (now - this.lastReport >= 1000 && !this.settings.freeze) {
      this.lastReport = now;
      void this.report(state);
    }
  }

  private async report(state: number): Promise<void> {
    const { name } = this.options;
    const { height, isSynced: synced } = this.sync;
    const { producerAddress, startedAt, startHeight } = this;
    const stalls = this.stalls;
    this.stalls = [];
    const late = stalls.length === 0 ? {} : { stalls };
    try {
      const own = { producerAddress, startedAt, startHeight };
      await this.follow(await this.chain.report(name, { height, state, synced, ...own, ...late }));
    } catch {
      this.stalls.unshift(...stalls);
      // The chain double may be away for a while. The next report contains the same.
    }
  }

  private async poll(): Promise<void> {
    const view = await this.chain.node(this.options.name).catch(() => undefined);
    if (view) await this.follow(view);
    else this.network = undefined;
  }

  private async follow(view: NodeView): Promise<void> {
    this.heardAt = Date.now();
    this.settings = ownSettings(view.settings);
    this.network = view.network;
    this.beginFresh(view.network.height);
    // Takes in a new momentum now rather than at the next request.
    this.sync.advance(Date.now(), this.settings, this.network);
    if (this.stopped || this.timers.length === 0) return;
    if (this.settings.rpcDown) await this.rpc.close();
    else if (!this.rpc.isOpen && this.listeners.length > 0) await this.openRpc().catch(() => undefined);
  }

  // The distance of a fresh node from the network is unknown until the chain double answers.
  private beginFresh(networkHeight: number): void {
    if (this.sync.height > 0 || this.openedAt === Number.POSITIVE_INFINITY) return;
    this.startHeight = Math.max(1, networkHeight - this.settings.behind);
    this.sync = new Sync(this.startHeight, this.openedAt, Date.now());
  }

  private panic(reason = "runtime error: invalid memory address or nil pointer dereference"): void {
    this.print(`panic: ${reason}`);
    this.print("[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x9d1e2f]");
    this.exit(2);
  }

  private fail(reason: string): void {
    this.print(reason);
    this.exit(1);
  }

  private exit(code: number): void {
    void this.stop();
    process.exit(code);
  }

  private every(ms: number, action: () => void): void {
    this.timers.push(setInterval(action, ms));
  }

  private print(line: string): void {
    (this.options.print ?? console.log)(line);
  }
}

/** Returns the settings with those that this build has of its own. */
function ownSettings(settings: NodeSettings): NodeSettings {
  return { ...settings, ...(nodeBuild.settings as Partial<NodeSettings> | undefined) };
}

const rewardMethods = [
  "embedded.pillar.getUncollectedReward",
  "embedded.pillar.getFrontierRewardByPage",
  "embedded.pillar.getPillarEpochHistory",
];
