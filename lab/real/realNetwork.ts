import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { randomPassword } from "../doubles/keyStore.ts";
import { addOperatorAddress, ip } from "../hosts/network.ts";
import type { Lab } from "../lab.ts";
import { neededReal } from "./realPrograms.ts";

/** A node of the network, as the tool made it. */
interface RealNode {
  /** Named p1, p2 and so on with a Pillar, s1 and so on without. */
  readonly name: string;
  readonly ip: string;
  /** Address of its RPC. */
  readonly rpc: string;
  readonly data: string;
  /** Address of its key store. */
  readonly producer: string;
  readonly pillar?: string;
  /** Address of the Pillar's owner, and the wallet with its key. */
  readonly owner?: string;
  readonly ownerWallet?: string;
}

/** Clocks of a node built for short tests (`znnd-fast`). Without them a network has the real clocks. */
interface FastClocks {
  /** Seconds between momentums. */
  readonly blockTime: number;
  /** Slots of a tick; 30 by default. */
  readonly tickSlots?: number;
  /** A multiple of a tick, at least two: with one, the node ends by itself. */
  readonly epoch: number;
  readonly rewardDelay: number;
  readonly updateMomentums: number;
}

interface NetworkOptions {
  readonly clocks?: FastClocks;
  readonly hosts?: Readonly<Record<string, string>>;
  readonly spares?: number;
  readonly minPeers?: number;
}

interface NetworkFile {
  readonly genesis: string;
  readonly password: string;
  readonly nodes: readonly RealNode[];
}

/**
 * Real nodes with their own genesis and no way out of the lab. They run on the operator's machine, each on its own
 * address, until the lab goes down. lab/real/realNode.ts puts others on hosts.
 */
export class RealNetwork {
  private constructor(
    private readonly lab: Lab,
    /** Path of the node's program. */
    readonly znnd: string,
    private readonly tool: string,
    /** Environment of the node: its clocks. */
    readonly env: Readonly<Record<string, string>>,
    private readonly file: NetworkFile,
  ) {}

  /**
   * Makes the genesis and the data directories, and starts nothing. No momentum is produced before the genesis's time.
   * @param hosts addresses of hosts by the name of the node that lives there
   * @param spares number of nodes without a Pillar
   * @param minPeers peers without which a node says that it is not synced; the main network's nodes need eight
   * @throws if the real programs are missing
   */
  static async create(
    lab: Lab,
    { clocks, hosts = {}, spares = 1, minPeers }: NetworkOptions = {},
  ): Promise<RealNetwork> {
    const znnd = await neededReal(clocks ? "node-world/znnd-fast" : "znnd");
    const tool = await neededReal("node-world/znndev");
    const out = join(lab.dir, "network");
    const many = ["--pillars", "3", "--spares", `${spares}`];
    // These are 10.77.0.111 and up, and 10.77.0.151 and up: no host of a lab has them.
    const when = ["--subnet", "10.77.0.1", "--start-in", "10s"];
    await execa(tool, ["genesis", "--out", out, ...many, ...when, "--password", randomPassword()]);
    const file = JSON.parse(await readFile(join(out, "network.json"), "utf8")) as NetworkFile;
    const nodes = file.nodes.map((node) => ({ ...node, ...placeOf(node, hosts[node.name]) }));
    const moved = file.nodes.map((node, at) => [`@${node.ip}:`, `@${nodes[at]?.ip}:`] as const);
    for (const node of nodes) {
      const isOnHost = node.name in hosts;
      if (!isOnHost) await ip(addOperatorAddress(lab.name, node.ip));
      await settle(node, isOnHost, moved, minPeers);
    }
    return new RealNetwork(lab, znnd, tool, clocks ? environmentOf(clocks) : {}, { ...file, nodes });
  }

  get nodes(): readonly RealNode[] {
    return this.file.nodes;
  }

  /** Returns the password of all key stores. */
  get password(): string {
    return this.file.password;
  }

  /** Returns the time of the genesis in Unix milliseconds. */
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
      await this.lab.startAtOperator([this.znnd, "--data", data], join(data, "out.log"), this.env);
    }
  }

  /** Publishes the wallet's Update Pillar: a new producer address. */
  async updatePillar(pillar: string, producer: string): Promise<void> {
    await this.wallet("update-pillar", this.ownerOf(pillar), ["--name", pillar, "--producer", producer]);
  }

  /** Collects the rewards of a Pillar, as the wallet does. */
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
    await this.lab.run([this.tool, command, ...key, ...more]);
  }
}

function environmentOf({ blockTime, tickSlots = 30, epoch, rewardDelay, updateMomentums }: FastClocks) {
  return {
    ZNN_BLOCK_TIME: `${blockTime}`,
    ZNN_TICK_SLOTS: `${tickSlots}`,
    ZNN_EPOCH: `${epoch}`,
    ZNN_REWARD_DELAY: `${rewardDelay}`,
    ZNN_UPDATE_MOMENTUMS: `${updateMomentums}`,
  };
}

/** Returns the address of a node; without a host, as the tool chose it. */
function placeOf({ ip, rpc }: RealNode, host: string | undefined): Pick<RealNode, "ip" | "rpc"> {
  return host === undefined ? { ip, rpc } : { ip: host, rpc: rpc.replace(ip, host) };
}

/**
 * Writes a node's configuration. Nodes on the operator's machine share a namespace, so each listens on its own address
 * only. All get each other's real addresses.
 */
async function settle(
  { data, ip: address }: RealNode,
  isOnHost: boolean,
  moved: ReadonlyArray<readonly [from: string, to: string]>,
  minPeers: number | undefined,
): Promise<void> {
  const file = join(data, "config.json");
  const text = moved.reduce((before, [from, to]) => before.replaceAll(from, to), await readFile(file, "utf8"));
  const config = JSON.parse(text);
  if (!isOnHost) {
    Object.assign(config.RPC, { HTTPHost: address, WSHost: address });
    Object.assign(config.Net, { ListenHost: address });
  }
  if (minPeers !== undefined) config.Net.MinPeers = minPeers;
  await writeFile(file, JSON.stringify(config, undefined, 2));
}
