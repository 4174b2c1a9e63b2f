import type { StatusParts } from "../../cli/status/parts/statusParts.ts";
import type { StackView } from "../../cli/status/stackView.ts";
import type { StackConfig } from "../../core/config/config.ts";
import type { NodeFacts } from "../../core/host/nodeFacts.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import type { LockStatus } from "../../core/journey/stackFacts.ts";
import type { Registration } from "../../core/registration/registration.ts";
import type { Unmet } from "../../core/retirement/retirementFacts.ts";
import type { SyncProgress } from "../../core/sync/progress.ts";
import { parseWhole } from "../core/host/printedFacts.ts";

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
    samples: [],
    rate: 4.9,
    left: 780_000,
    ...changes,
  };
}

/** Facts of a host that syncs. */
export const facts = parseWhole(
  ["done", "atWork", "service", "node", "disk", "log"],
  [
    ...["marked.packages.done=2026-11-21T15:04:01Z", "marked.deploy.done=2026-11-21T15:04:09Z"],
    ...["service.name=go-node", "service.LoadState=loaded", "service.ActiveState=active", "service.SubState=running"],
    ...["service.StateChangeTimestamp=Sat 2026-11-21 15:04:09 UTC", "service.NRestarts=0", "service.Result=success"],
    ...["node.rpc=127.0.0.1:35997", "node.p2p=35995", "node.peers=8"],
    ...["disk.at=/root/.znn", "disk.size=264200000", "disk.free=75000000"],
    'log=2026-11-21T15:05:11+0000 host1 go-node[7423]: t=16318 lvl=info msg="insert momentum" module=chain height=16318',
    'log=2026-11-21T15:05:16+0000 host1 go-node[7423]: t=16343 lvl=info msg="insert momentum" module=chain height=16343',
  ],
);

/** Facts of a synced node's host. */
export const healthyFacts: NodeFacts = {
  done: { packages: "x", deployed: "x", synced: "x" },
  service: parseWhole(
    ["service"],
    ["service.name=go-node", "service.LoadState=loaded", "service.UnitFileState=enabled"],
  ).service,
  node: { rpc: "127.0.0.1:35997", p2pPort: 35995, peers: 8 },
  disk: { at: "/root/.znn", size: 264_200_000, free: 75_000_000 },
  clock: { now: "x", isKept: true },
  killed: undefined,
  units: [],
  log: [],
};

const since = Date.parse("2026-11-21T15:02:54Z");
export const lives: LockStatus = { lock: { user: "ada", host: "desk", pid: 4242, since }, holder: "lives" };

/** The outputs of a run that saw this host produce. */
export const finishedRun: LastRun = {
  finished: true,
  producerAddress: "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7",
  registration: { state: "producing", registered: true, producing: true },
};

/** Returns the view of a host that syncs during a run, with these changes. */
export function viewOf(changes: Partial<StackView> = {}): StackView {
  const { synced = false, lifecycle = "active" } = changes;
  const last = synced || lifecycle !== "active" ? finishedRun : { finished: false };
  return {
    stack: "prod",
    pillar: "Anvil",
    address: "203.0.113.7",
    lifecycle: "active",
    state: { isBegun: true, pending: [], last },
    locks: [lives],
    sync: progress(),
    synced: false,
    facts,
    parts: partsOf(),
    ...changes,
  };
}

export const clock = Date.parse("2026-11-21T15:05:20Z");
export const old = "z1qzlytaqdahg5t02nz5096frflfv7dm3y7yxmg7";
export const ours = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";

const own = { address: ours, since: clock - 600_000, earlier: old, notes: [] };
const at = clock - 60_000;
export const registrations = {
  earlier: { kind: "earlier", address: old, earlier: old, wasOurs: false, notes: [] },
  wentBack: { kind: "earlier", address: old, earlier: old, wasOurs: true, notes: [] },
  foreign: { kind: "foreign", address: old, wasOurs: false, notes: [], last: { height: 90, at, isOurs: false } },
  nobody: { kind: "unknownPillar", notes: [] },
  unknown: { kind: "unknown", why: "no node was asked", notes: [] },
  registered: { kind: "registered", ...own },
  producing: { kind: "producing", ...own, switched: { height: 77, at }, figures: { expected: 10, produced: 9 } },
  tooEarly: { kind: "tooEarly", why: "syncing", ...own },
} as const satisfies Record<string, Registration>;

export const unmet: Unmet = {
  loss: "rewards",
  kind: "rewardsWaiting",
  what: "the rewards since the switch are not collected",
  saidBy: ["the successor's node (203.0.113.9)"],
  found: ["paid since epoch 5, and not collected: 8.8 ZNN and 0 QSR wait (collect them in the wallet)"],
  needed: "collect them in the wallet",
};

/**
 * Returns the parts of an active stack whose node is synced and whose Pillar has the old address, with these changes.
 */
export function partsOf(
  registration: Registration = registrations.earlier,
  changes: Partial<StatusParts> = {},
): StatusParts {
  return {
    node: { value: { active: true, masked: false } },
    registration: { value: registration },
    orchestrator: { value: { kind: "none", text: "none on this host", isWrong: false } },
    ports: undefined,
    rewards: { value: "8.8 ZNN and 0 QSR are not collected; paid last: epoch 5" },
    destroy: undefined,
    hourlyRestart: { value: "off" },
    sporks: { value: { version: "v0.0.8", unknown: [] } },
    versions: { value: [] },
    ...changes,
  };
}

/** Settings on which a stack's next step depends. */
export interface StepSettings {
  readonly lifecycle?: StackConfig["lifecycle"];
  /** Empty if it is not configured. */
  readonly oldHost?: string;
  readonly move?: boolean;
  readonly firstMove?: string;
  readonly rollback?: boolean;
  readonly provider?: StackConfig["host"]["provider"];
}

export const stepConfig = (settings: StepSettings = {}): StackConfig => {
  const {
    lifecycle = "active",
    oldHost: address = "198.51.100.9",
    move = false,
    firstMove,
    rollback = false,
  } = settings;
  const oldHost = address === "" ? undefined : { address };
  const host = { provider: settings.provider ?? "existing" };
  return { host, lifecycle, sync: {}, oldHost, orchestrator: { move, firstMove, rollback } } as unknown as StackConfig;
};

export function createUnknownParts(lifecycle: string, problem: string): StatusParts {
  const isActive = lifecycle === "active";
  return {
    node: { problem },
    registration: { problem },
    orchestrator: { problem },
    rewards: { problem },
    sporks: { problem },
    versions: { problem },
    ports: undefined,
    destroy: isActive ? undefined : { problem },
    hourlyRestart: isActive ? { problem } : undefined,
  };
}
