import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base } from "vitest";
import type { VersionGap } from "../../../core/chain/requiredVersions.ts";
import { copyChain } from "../../../core/chainCopy/chainCopy.ts";
import type { CopyRun } from "../../../core/chainCopy/copyHosts.ts";
import type { ChainCopyInputs, CopyHost } from "../../../core/chainCopy/copyInputs.ts";
import type { WhichHost } from "../../../core/host/rootPair.ts";
import type { Variables } from "../../../core/ssh/foreign.ts";
import { sentText } from "../../hostile.ts";
import { answerFacts } from "../host/printedFacts.ts";

/** Texts of a host or its node, with what a good one says. */
export const usual = {
  height: "7",
  files: "2",
  bytes: "1000",
  hash: "a".repeat(64),
  path: "CURRENT",
  arrivedPath: "CURRENT",
  copyKey: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"b".repeat(43)} pillar-host-chain-copy`,
  copyAddress: "192.0.2.2",
  database: "none",
  lacks: "",
  networkKey: "",
  progress: "1000",
  free: "9000000000",
  error: "",
  nodeWhy: "it says so",
  nodeHash: "same",
  nodeVersion: "v0.0.8",
};
export type Place = keyof typeof usual;

const hostOf = (address: string): CopyHost => {
  const ssh = { address, port: 22, user: "root", hostKey: `ssh-ed25519 ${address}` };
  const node = { ssh, via: "ssh", address: "127.0.0.1", port: 35997 } as const;
  return { host: { stack: "prod", ssh }, node, service: "go-node", dataDir: "/root/.znn" };
};

/** Two hosts with these answers, and a new node that adds momentums once it has the copy. */
export class CopyStage {
  readonly directory = mkdtempSync(join(tmpdir(), "chain-copy-"));
  readonly called: string[] = [];
  readonly said: string[] = [];
  /** All that was sent to hosts. */
  readonly sent: string[] = [];
  answer = (place: Place): string => usual[place];
  /** Replaces a function's outcome. */
  readonly does: Record<string, (count: number) => string> = {};
  isSynced = false;
  isFollowing = true;
  /** Hash of the new node's momentums. */
  chain = "same";
  isOldSynced = true;
  /** Time of the new host's mark that its node was synced; empty before its gate. */
  mark = "";
  /** Heights of the new node, one a lookup; the last one stays. Undefined if the node does not answer. */
  heights: (number | undefined)[] = [];
  /** Required versions that the new node lacks. */
  gaps: VersionGap[] = [];
  private time = 0;

  inputs: ChainCopyInputs = {
    stack: "prod",
    identity: "pillar-host/prod Anvil",
    old: hostOf("192.0.2.1"),
    new: hostOf("192.0.2.2"),
    copy: { address: "192.0.2.1", port: 22 },
    limitMbps: 0,
    momentum: 10_000,
    references: [],
    tolerance: 20,
    log: { directory: this.directory, stack: "prod", pillar: "Anvil" },
    library: "",
    begun: undefined,
    again: undefined,
  };

  run(): ReturnType<typeof copyChain> {
    const hosts: CopyRun["hosts"] = {
      call: async ({ side, name, variables }) => this.call(side, name, variables),
      close: () => undefined,
      follow: async ({ side, name, variables }, onLine) => {
        this.call(side, name, variables);
        onLine(`bytes ${this.answer("progress")}`);
      },
      takeLease: async ({ side, name }) => void this.call(side, name, undefined),
    };
    const deps = {
      now: () => this.time,
      ticks: () => this.time,
      sleep: async (milliseconds: number) => {
        this.time += milliseconds;
        await new Promise((resolve) => setImmediate(resolve));
      },
      say: (line: string) => void this.said.push(line),
      readVersion: async (side: WhichHost) => {
        if (side === "new" && this.isSilent()) throw new Error("no answer");
        return this.answer("nodeVersion");
      },
      readVersionGaps: async () => this.gaps,
      readNodeStatus: async (side: WhichHost) => ({
        synced: side === "old" ? this.isOldSynced : this.isSynced,
        why: this.answer("nodeWhy"),
        known: side === "old" || !this.isSilent(),
        ...(side === "new" && { currentHeight: this.heights.length > 1 ? this.heights.shift() : this.heights[0] }),
      }),
      readChains: async () => this.readChains(),
    };
    return copyChain(this.inputs, deps, hosts);
  }

  /** Runs the copy, and returns its error; empty if it did not fail. */
  failure(): Promise<string> {
    return this.run().then(
      () => "",
      (error: Error) => error.message,
    );
  }

  /** True if the new node answers only with the copied databases. */
  private isSilent(): boolean {
    return this.heights.length === 1 && this.heights[0] === undefined && !this.called.includes("new chain_swap");
  }

  count(name: string): number {
    return this.called.filter((called) => called === name).length;
  }

  private call(of: "old" | "new", name: string, variables: Variables | undefined): string {
    this.called.push(`${of} ${name}`);
    this.sent.push(sentText(`${of} ${name}`, variables));
    const count = this.called.filter((called) => called.endsWith(` ${name}`)).length;
    return this.does[name]?.(count) ?? this.answers(of)[name] ?? "";
  }

  private answers(of: "old" | "new"): Record<string, string> {
    const { answer } = this;
    const extra = of === "new" ? `${usual.hash}  nom/${answer("arrivedPath")}\n` : "";
    const lacks = answer("lacks");
    return {
      host_facts: answerFacts([
        ...["chain.nom=there", "chain.consensus=there", `chain.cache=${answer("database")}`, "chain.bytes=1000"],
        ...["disk.size=9000000", "disk.free=9000000", "chain.staged=0", `networkKey=${answer("networkKey")}${of}`],
        ...(lacks ? [`lacks=${lacks}`] : []),
        ...(of === "new" && this.mark !== "" ? [`marked.synced=${this.mark}`] : []),
      ]),
      chain_snapshot: `height ${answer("height")}\nfiles ${answer("files")}\nbytes ${answer("bytes")}\nend\n`,
      chain_key: `${answer("copyKey")}\n${answer("copyAddress")}\n`,
      chain_manifest: `${answer("hash")}  nom/${answer("path")}\n${extra}`,
      chain_old_now: `free ${answer("free")}\n`,
    };
  }

  private readChains() {
    if (this.isSilent()) throw new Error("no answer");
    const height = this.called.includes("new chain_swap") && this.isFollowing ? 9 : 7;
    const old = { newest: { height: 20, hash: "x" }, recent: [{ height, hash: this.answer("nodeHash") }] };
    return { old, new: { newest: { height, hash: this.chain }, recent: [] } };
  }
}

export const test = base.extend<{ stage: CopyStage }>({
  stage: async ({ task: _task }, use) => {
    const stage = new CopyStage();
    await use(stage);
    rmSync(stage.directory, { recursive: true });
  },
});
