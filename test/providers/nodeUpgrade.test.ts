import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asRoot } from "../../core/ssh/root.ts";
import { closedPort, fakeNode, loginTo, type SshHost, sshHost } from "../core/chain/fakes.ts";
import { scratchDirectory } from "../scratchDirectory.ts";
import { runProvider as run } from "./runProvider.ts";

let host: SshHost;
let node: Awaited<ReturnType<typeof fakeNode>>;
const scratch = scratchDirectory();

beforeEach(async () => {
  host = await sshHost();
  const momentum = { height: 100, timestamp: Math.floor(Date.now() / 1000), hash: "ab", producer: "z1qother" };
  node = await fakeNode({
    "stats.syncInfo": { state: 2, currentHeight: 100, targetHeight: 100 },
    "stats.processInfo": { version: "v0.0.8" },
    "ledger.getFrontierMomentum": momentum,
    "ledger.getMomentumsByHeight": { list: [momentum] },
    "embedded.pillar.getByName": { name: "Anvil", producerAddress: "z1qo", withdrawAddress: "z1qw", currentStats: {} },
    "embedded.pillar.getAll": { count: 0, list: [] },
    "embedded.spork.getAll": { count: 0, list: [] },
  });
});
afterEach(() => Promise.all([host.close(), node.close()]));

/** Returns inputs of an upgrade with this end, on a host whose functions only print their calls, and which ends after a look. */
const prepared = async (end: string) => ({
  host: { stack: "prod", ssh: loginTo(host) },
  node: { ssh: loginTo(host), via: "ssh", address: "127.0.0.1", port: node.port },
  stack: "prod",
  pillar: "Anvil",
  orchestratorPort: await closedPort(),
  release: { service: "go-node", version: "v0.0.10", release_marker: "https://r.example/n ab v0.0.10" },
  network: { momentum: 1000, tickMomentums: 30 },
  witnesses: { references: [], tolerance: 20, isChainUnverified: true },
  library: `become_root() { "$@"; }\n${asRoot}
node_release_fetch() { echo "$version lies beside it"; }
node_release_swap() { echo "$may_go_back $answer_seconds $judge_seconds $seen_seconds" > ${scratch()}/swapped; }
node_release_look() { echo producer=z1qours; [ -e ${scratch()}/swapped ] || return 0
  if [ ! -e ${scratch()}/looked ]; then : > ${scratch()}/looked; printf 'atWork=yes\\nwithout=2500\\n'; return; fi
  printf 'stage=%s\\nwhy=%s\\nwithout=2500\\n' "${end}" "what was seen"; }
node_release_judge() { :; }\n`,
});

const triggers = (changes: object = {}) => ({
  ...{ stack: "prod", address: "127.0.0.1", hostKey: host.hostKey, release: "https://r.example/n ab v0.0.10" },
  ...changes,
});

const create = async () => run(["NodeUpgrade", await prepared("done")], "create", triggers());
const update = async (olds: unknown, changes: object = {}) =>
  run(["NodeUpgrade", await prepared("done")], "update", "id", olds, triggers(changes));

describe("the provider of an upgrade", () => {
  test("upgrades the node of a disk that was set back again", async () => {
    const { result } = await create();
    rmSync(join(scratch(), "swapped"));
    const again = await update(result?.outs, { setUp: "2" });
    expect(again.result?.outs).toMatchObject({ running: "v0.0.10" });
    expect(existsSync(join(scratch(), "swapped"))).toBe(true);
  });

  test("upgrades once; another release is another upgrade", async () => {
    const { result, error, log } = await create();
    expect(error).toBeUndefined();
    expect(result?.outs).toMatchObject({ running: "v0.0.10" });
    // At least what the host measured: the node is synced at the first look.
    expect(result?.outs?.secondsWithoutNode).toBeGreaterThanOrEqual(2.5);
    expect(readFileSync(join(scratch(), "swapped"), "utf8")).toBe("yes 600 660 60\n");
    const end = "node: v0.0.10 runs now instead of v0.0.8; the node was down for 2.5 s";
    expect(log).toContainEqual(expect.stringContaining(end));
    rmSync(join(scratch(), "swapped"));
    const again = await update(result?.outs);
    expect([again.log, existsSync(join(scratch(), "swapped"))]).toEqual([[], false]);
    const found = await update(result?.outs, { found: "v0.0.8 now" });
    expect(found.result?.outs).toMatchObject({ running: "v0.0.10" });
    expect(existsSync(join(scratch(), "swapped"))).toBe(true);
  });
});
