import type { LockStatus } from "../../cli/pulumi/locks";
import type { StackView } from "../../cli/status/stackView";
import { parseNodeHostFacts } from "../../core/ssh/hostFacts";
import type { SyncProgress } from "../../core/sync/progress";

/** Returns a lookup of a syncing node with these changes. */
export function progress(changes: Partial<SyncProgress> = {}): SyncProgress {
  const info = { state: 1, currentHeight: 16_365, targetHeight: 20_021 };
  return {
    observation: { kind: "answer", info, nodeTime: 0 },
    good: false,
    why: { kind: "syncing", text: "syncing" },
    streak: 0,
    confirmations: 3,
    startedAt: Date.parse("2026-11-21T15:04:09Z"),
    percent: "81.7",
    rate: 4.9,
    left: 780_000,
    ...changes,
  };
}

/** Output of core/steps/host/hostFacts.sh on a host that syncs. */
export const facts = parseNodeHostFacts([
  "stages=asked",
  ...["done.packages=2026-11-21T15:04:01Z", "done.deployed=2026-11-21T15:04:09Z"],
  ...["service.name=go-node", "service.load=loaded", "service.active=active", "service.sub=running"],
  ...["service.since=2026-11-21 15:04:09 UTC", "service.restarts=0", "service.result=success"],
  ...["node.rpc=127.0.0.1:35997", "node.p2p=35995", "node.peers=8"],
  ...["disk.at=/root/.znn", "disk.size=264200000", "disk.free=75000000"],
  'log=2026-11-21T15:05:11+0000 host1 go-node[7423]: t=16318 lvl=info msg="insert momentum" module=chain height=16318',
  'log=2026-11-21T15:05:16+0000 host1 go-node[7423]: t=16343 lvl=info msg="insert momentum" module=chain height=16343',
]);

export const lives: LockStatus = {
  lock: { user: "ada", host: "desk", pid: 4242, since: Date.parse("2026-11-21T15:02:54Z") },
  holder: "lives",
};

/** Returns the view of a host that syncs during a run, with these changes. */
export function viewOf(changes: Partial<StackView> = {}): StackView {
  return {
    stack: "prod",
    pillar: "Anvil",
    address: "203.0.113.7",
    lifecycle: "active",
    state: { isBegun: true, pending: [] },
    locks: [lives],
    sync: progress(),
    synced: false,
    facts,
    ...changes,
  };
}
