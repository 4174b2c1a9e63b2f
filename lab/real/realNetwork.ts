import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { randomPassword } from "../doubles/keyStore";
import { ip } from "../hosts/ip";
import { endProcess, type OwnProcess } from "../hosts/machine";
import { addOperatorAddress } from "../hosts/network";
import type { Lab } from "../lab";
import { neededReal } from "./realPrograms";

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
  /** Momentums' slots of a tick: 30 where it is not said. */
  readonly tickSlots?: number;
  /** Whole ticks, two at least: of one the node ends by itself. */
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
 * Real nodes on a genesis of their own, where nothing has a way out: at the operator's end of a lab, each on an address of
 * its own, until the lab ends; those that live on hosts lab/real/realNode.ts puts there.
 */
export class RealNetwork {
  private readonly running = new Map<string, OwnProcess>();

  private constructor(
    private readonly lab: Lab,
    /** Path of the node's program. */
    readonly znnd: string,
    private readonly tool: string,
    /** What it is started with: its clocks. */
    readonly env: Readonly<Record<string, string>>,
    private readonly file: NetworkFile,
  ) {}

  /**
   * Makes the genesis and the data directories; nothing runs yet. Before the genesis's time nothing is produced.
   *
   * @param options.hosts addresses of the hosts on which nodes live, by the node's name
   * @throws where the programs are not at hand
   */
  static async create(
    lab: Lab,
    options: {
      readonly pillars?: number;
      readonly spares?: number;
      readonly clocks?: FastClocks;
      readonly hosts?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<RealNetwork> {
    const { pillars = 3, spares = 1, clocks, hosts = {} } = options;
    const znnd = await neededReal(clocks ? "node-world/znnd-fast" : "znnd");
    const tool = await neededReal("node-world/znndev");
    const out = join(lab.dir, "network");
    const many = ["--pillars", String(pillars), "--spares", String(spares)];
    // 10.77.0.111 and so on, and from .151 on: no host of a lab is there.
    const when = ["--subnet", "10.77.0.1", "--start-in", "10s"];
    await execa(tool, ["genesis", "--out", out, ...many, ...when, "--password", randomPassword()]);
    const file = JSON.parse(await readFile(join(out, "network.json"), "utf8")) as NetworkFile;
    const nodes = file.nodes.map((node) => ({ ...node, ...placeOf(node, hosts[node.name]) }));
    const moved = file.nodes.map((node, at) => [`@${node.ip}:`, `@${nodes[at]?.ip}:`] as const);
    for (const node of nodes) {
      const isOnHost = node.name in hosts;
      if (!isOnHost) await ip(addOperatorAddress(lab.name, node.ip));
      await settle(node, isOnHost, moved);
    }
    return new RealNetwork(lab, znnd, tool, clocks ? environmentOf(clocks) : {}, { ...file, nodes });
  }

  get nodes(): readonly RealNode[] {
    return this.file.nodes;
  }

  /** Of all its key stores. */
  get password(): string {
    return this.file.password;
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
    const key = ["--rpc", rpc, "--wallet", wallet, "--password", this.password];
    const [program = "", ...args] = this.lab.atOperator([this.tool, command, ...key, ...more]);
    await execa(program, args);
  }
}

function environmentOf({
  blockTime,
  tickSlots = 30,
  epoch,
  rewardDelay,
  updateMomentums,
}: FastClocks): Record<string, string> {
  return {
    ZNN_BLOCK_TIME: String(blockTime),
    ZNN_TICK_SLOTS: String(tickSlots),
    ZNN_EPOCH: String(epoch),
    ZNN_REWARD_DELAY: String(rewardDelay),
    ZNN_UPDATE_MOMENTUMS: String(updateMomentums),
  };
}

/** Where a node is; one without a host stays where the tool put it. */
function placeOf({ ip, rpc }: RealNode, host: string | undefined): Pick<RealNode, "ip" | "rpc"> {
  return host === undefined ? { ip, rpc } : { ip: host, rpc: rpc.replace(ip, host) };
}

/** Those at the operator's end share a namespace: each listens on its own address only. All find each other where they are. */
async function settle(
  { data, ip: address }: RealNode,
  isOnHost: boolean,
  moved: ReadonlyArray<readonly [from: string, to: string]>,
): Promise<void> {
  const file = join(data, "config.json");
  const text = moved.reduce((before, [from, to]) => before.replaceAll(from, to), await readFile(file, "utf8"));
  const config = JSON.parse(text);
  if (!isOnHost) {
    Object.assign(config.RPC, { HTTPHost: address, WSHost: address });
    Object.assign(config.Net, { ListenHost: address });
  }
  await writeFile(file, JSON.stringify(config, undefined, 2));
}
