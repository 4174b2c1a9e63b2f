import { execa } from "execa";
import { expect, vi } from "vitest";
import type { Lab, LabHost } from "../../../lab/lab";
import type { RealNetwork } from "../../../lab/real/realNetwork";
import { onHost } from "../fixture";

/** A busy machine answers late, and a node that starts refuses. */
const patience = { timeout: 400_000, interval: 2000 };

/** A Pillar's figures of an epoch: exact from its end on, when the epoch is paid. */
interface Produced {
  readonly name: string;
  readonly producedBlockNum: number;
  readonly expectedBlockNum: number;
}

/** An epoch, as it was for a Pillar and for all the others together. */
export interface Epoch {
  readonly epoch: number;
  readonly produced: number;
  readonly expected: number;
  /** Momentums that another Pillar has missed. */
  readonly othersMissed: number;
}

/** Reads a chain from the nodes of a network. */
export class Chain {
  constructor(
    private readonly lab: Lab,
    private readonly network: RealNetwork,
    /** Seconds. */
    private readonly epoch: number,
  ) {}

  /** Returns the epoch of a time, by default of now. */
  epochAt(time = Date.now()): number {
    return Math.floor((time - this.network.genesis) / (this.epoch * 1000));
  }

  /** Hashes of all momentums that a node has, from the first on. */
  async hashes(node: string): Promise<string[]> {
    const found: string[] = [];
    for (;;) {
      const page = await this.ask<{ hash: string }>(node, "ledger.getMomentumsByHeight", [found.length + 1, 500]);
      found.push(...page.map(({ hash }) => hash));
      if (page.length < 500) return found;
    }
  }

  /** Epochs in the chain's own count, which is waited for. */
  async epochs(node: string, pillar: string, first: number, last: number): Promise<Epoch[]> {
    const found: Epoch[] = [];
    for (let epoch = first; epoch <= last; epoch += 1) {
      const params = [epoch, 0, 100];
      const all = await vi.waitFor(async () => {
        const list = await this.ask<Produced>(node, "embedded.pillar.getPillarsHistoryByEpoch", params);
        expect(list.map(({ name }) => name)).toContain(pillar);
        return list;
      }, patience);
      const own = all.find(({ name }) => name === pillar);
      const missed = all.map(({ name, producedBlockNum, expectedBlockNum }) =>
        name === pillar ? 0 : expectedBlockNum - producedBlockNum,
      );
      found.push({
        epoch,
        produced: own?.producedBlockNum ?? 0,
        expected: own?.expectedBlockNum ?? 0,
        othersMissed: missed.reduce((sum, each) => sum + each, 0),
      });
    }
    return found;
  }

  private ask<T>(node: string, method: string, params: readonly unknown[]): Promise<T[]> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const request = ["-sf", "-H", "content-type: application/json", "-d", body, this.network.node(node).rpc];
    const [curl = "", ...args] = this.lab.atOperator(["curl", ...request]);
    return vi.waitFor(async () => {
      const { result } = JSON.parse((await execa(curl, args)).stdout) as { result: { list: T[] | null } };
      return result.list ?? [];
    }, patience);
  }
}

/** Separates a host's node from its peers, or reconnects it; ssh keeps working. */
export async function keepApart(host: LabHost, apart: boolean): Promise<void> {
  const rule = (protocol: string, side: string) =>
    `ip rule del ipproto ${protocol} ${side} 35995 blackhole 2> /dev/null; ${apart ? `ip rule add ipproto ${protocol} ${side} 35995 blackhole` : "true"}`;
  const rules = ["tcp", "udp"].flatMap((protocol) => ["sport", "dport"].map((side) => rule(protocol, side)));
  await onHost(host, rules.join("\n"));
}

/** Makes a host's node one that was never synced, and keeps it from its peers. */
export async function emptyNode(host: LabHost): Promise<void> {
  await keepApart(host, true);
  await onHost(
    host,
    `systemctl stop go-node; cd /root/.znn && rm -rf nom consensus cache network
    rm -f /var/lib/pillar-host/synced; systemctl reset-failed go-node 2> /dev/null; systemctl start go-node`,
  );
}

/** Lists the files that a copy has left on a host. */
export const leftOn = (host: LabHost) =>
  onHost(
    host,
    "ls -A /root/.znn | grep pillar-host; ls /var/lib/pillar-host 2> /dev/null | grep chain-copy; grep -l chain-copy /root/.ssh/authorized_keys; true",
  );
