import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { ip } from "./hosts/ip";
import { endProcess, type OwnProcess } from "./hosts/machine";
import { addOperatorAddress } from "./hosts/network";
import type { Lab } from "./lab";
import { neededReal } from "./real";

/** A node of the network, as its tool made it. */
export interface RealNode {
  /** p1, p2 and so on of the Pillars, s1 and so on of those that no Pillar is registered with. */
  readonly name: string;
  readonly ip: string;
  /** Address of its RPC. */
  readonly rpc: string;
  /** Its data directory. */
  readonly data: string;
  /** Of its key store. */
  readonly producer: string;
  readonly pillar?: string;
  /** The Pillar's owner, and the wallet that is its key store. */
  readonly owner?: string;
  readonly ownerWallet?: string;
}

/** The clocks of the node built for short tests (`znnd-fast`); the real ones where a network has none of these. */
export interface FastClocks {
  /** Seconds. */
  readonly blockTime: number;
  readonly epoch: number;
  readonly rewardDelay: number;
  readonly updateMomentums: number;
}

interface NetworkFile {
  readonly genesis: string;
  readonly password: string;
  readonly nodes: readonly RealNode[];
}

/**
 * Real nodes on a genesis of their own at the operator's end of a lab, each on an address of its own, where nothing has a
 * way out. They end with the lab.
 */
export class RealNetwork {
  private readonly running = new Map<string, OwnProcess>();

  private constructor(
    private readonly lab: Lab,
    private readonly znnd: string,
    private readonly tool: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly file: NetworkFile,
  ) {}

  /**
   * Makes the genesis and the data directories; nothing runs yet. Before the genesis's time nothing is produced.
   *
   * @throws where the programs are not at hand
   */
  static async create(
    lab: Lab,
    options: { readonly pillars?: number; readonly spares?: number; readonly clocks?: FastClocks } = {},
  ): Promise<RealNetwork> {
    const { pillars = 3, spares = 1, clocks } = options;
    const znnd = await neededReal(clocks ? "node-world/znnd-fast" : "znnd");
    const tool = await neededReal("node-world/znndev");
    const out = join(lab.dir, "network");
    const many = ["--pillars", String(pillars), "--spares", String(spares)];
    // 10.77.0.111 and so on, and from .151 on: no host of a lab is there.
    await execa(tool, ["genesis", "--out", out, ...many, "--subnet", "10.77.0.1", "--start-in", "10s"]);
    const file = JSON.parse(await readFile(join(out, "network.json"), "utf8")) as NetworkFile;
    for (const node of file.nodes) {
      await ip(addOperatorAddress(lab.name, node.ip));
      await bind(node);
    }
    return new RealNetwork(lab, znnd, tool, clocks ? environmentOf(clocks) : {}, file);
  }

  get nodes(): readonly RealNode[] {
    return this.file.nodes;
  }

  /** Unix milliseconds. */
  get genesis(): number {
    return Date.parse(this.file.genesis);
  }

  node(name: string): RealNode {
    const found = this.nodes.find((node) => node.name === name);
    if (!found) throw new Error(`the network has no node ${name}`);
    return found;
  }

  async start(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const { data } = this.node(name);
      this.running.set(
        name,
        await this.lab.startAtOperator([this.znnd, "--data", data], join(data, "out.log"), this.env),
      );
    }
  }

  /** As systemd stops it. */
  async stop(name: string): Promise<void> {
    const own = this.running.get(name);
    if (own) await endProcess(own);
    this.running.delete(name);
  }

  /** The wallet's Update Pillar: another producer address. Returns when it is published. */
  async updatePillar(pillar: string, producer: string): Promise<void> {
    await this.wallet("update-pillar", this.ownerOf(pillar), ["--name", pillar, "--producer", producer]);
  }

  /** The wallet's Collect, of the rewards of its Pillar. */
  async collect(pillar: string): Promise<void> {
    await this.wallet("collect", this.ownerOf(pillar), []);
  }

  private ownerOf(pillar: string): string {
    const wallet = this.nodes.find((node) => node.pillar === pillar)?.ownerWallet;
    if (wallet === undefined) throw new Error(`the network has no Pillar ${pillar}`);
    return wallet;
  }

  private async wallet(command: string, wallet: string, more: readonly string[]): Promise<void> {
    const { rpc } = this.node("p1");
    const key = ["--rpc", rpc, "--wallet", wallet, "--password", this.file.password];
    const [program = "", ...args] = this.lab.atOperator([this.tool, command, ...key, ...more]);
    await execa(program, args);
  }
}

function environmentOf({ blockTime, epoch, rewardDelay, updateMomentums }: FastClocks): Record<string, string> {
  return {
    ZNN_BLOCK_TIME: String(blockTime),
    ZNN_EPOCH: String(epoch),
    ZNN_REWARD_DELAY: String(rewardDelay),
    ZNN_UPDATE_MOMENTUMS: String(updateMomentums),
  };
}

/** All share a namespace: each listens on its own address only. */
async function bind({ data, ip: address }: RealNode): Promise<void> {
  const file = join(data, "config.json");
  const config = JSON.parse(await readFile(file, "utf8"));
  Object.assign(config.RPC, { HTTPHost: address, WSHost: address });
  Object.assign(config.Net, { ListenHost: address });
  await writeFile(file, JSON.stringify(config, undefined, 2));
}
