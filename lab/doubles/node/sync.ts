import type { NetworkTruth } from "../chain/chain.ts";
import type { NodeSettings } from "../chain/settings.ts";

/** Answer of stats.syncInfo. */
export interface SyncInfo {
  state: number;
  currentHeight: number;
  targetHeight: number;
}

/**
 * Number of peers below which a node says state 3, gets no momentums and makes none, whatever its height (go-zenon
 * v0.0.8: p2p/config.go:20, protocol/sync.go:133, 142 and 172, pillar/manager.go:77).
 */
export const minPeers = 8;

/** Time in milliseconds without a sign of the network after which a node has lost its peers. */
const peersLostMs = 5000;

/** Time in milliseconds for which a node does not notice that its network is cut: 30 to 40 s were measured. */
const cutUnnoticedMs = 35_000;

/** A node's progress along the chain. Does no I/O: time, settings, and network are parameters. */
export class Sync {
  private credit = 0;
  private synced = false;
  private staleTarget: number | undefined;
  /** Time at which the node heard of the momentums that it is taking in. */
  private heardAt: number | undefined;
  private connected = 0;
  /** Time since which the node searches for its next peer. */
  private searchesSince: number;
  /** Height that the best peer claimed: when it connected, or with its last momentum that a synced node heard of. */
  private claimed = 0;
  /** Time since which the network is cut by the settings. */
  private cutSince: number | undefined;
  /** Time at which the network was last in reach. */
  private reachedAt: number;

  constructor(
    private current: number,
    /** Time at which the RPC opened, in milliseconds. */
    private readonly openedAt: number,
    private last: number = openedAt,
  ) {
    this.searchesSince = openedAt;
    this.reachedAt = openedAt;
  }

  /** Returns the true height, whatever the RPC claims. */
  get height(): number {
    return this.current;
  }

  /** Returns the number of connected peers. */
  get peers(): number {
    return this.connected;
  }

  /** True if the node has the network's height and receives new momentums. */
  get isSynced(): boolean {
    return this.synced && this.cutSince === undefined;
  }

  /** Advances the node to `now`. */
  advance(now: number, settings: NodeSettings, network: NetworkTruth | undefined): void {
    const seconds = Math.max(0, now - this.last) / 1000;
    this.last = now;
    const { staleTarget } = settings;
    if (typeof staleTarget === "number") this.staleTarget = staleTarget;
    else this.staleTarget = staleTarget ? (this.staleTarget ?? network?.height) : undefined;
    this.connect(now, settings, network);
    if (network === undefined || this.connected < minPeers) {
      this.synced = false;
      return;
    }
    if (settings.cut) return;
    const missing = network.height - this.current;
    if (settings.stall || settings.freeze) {
      this.synced = this.synced && missing <= 0;
      return;
    }
    this.credit = missing > 0 ? this.credit + seconds * settings.rate : 0;
    const follows = this.synced && missing > 0 && missing <= followed;
    this.heardAt = follows ? (this.heardAt ?? now) : undefined;
    const taken = now - (this.heardAt ?? now) >= takingIn(network);
    if (taken) this.heardAt = undefined;
    const step = follows ? (taken ? missing : 0) : Math.min(missing, Math.floor(this.credit));
    if (step > 0) {
      this.current += step;
      this.credit = step === missing ? 0 : this.credit - step;
    }
    this.synced = follows || this.current >= network.height;
    if (this.synced) this.claimed = network.height;
  }

  /** Returns what the RPC claims at `now`: the true values, distorted by the settings. */
  info(now: number, settings: NodeSettings, network: NetworkTruth | undefined): SyncInfo {
    const connected = network !== undefined && this.connected >= minPeers;
    const away = settings.flapMs !== null && Math.floor((now - this.openedAt) / settings.flapMs) % 2 === 1;
    // A node that is not synced ignores what its peers' new momentums say of their height (protocol/handler.go:395).
    const lonely = network === undefined || this.connected === 0 ? 0 : this.claimed;
    const newest = this.cutSince === undefined ? network?.height : this.current;
    const natural = connected ? ((away ? undefined : this.staleTarget) ?? newest ?? 0) : lonely;
    const currentHeight = settings.forceHeight ?? this.current;
    const targetHeight = settings.forceTarget ?? natural;
    const state = connected ? (away || this.current < targetHeight ? 1 : 2) : 3;
    return { state, currentHeight, targetHeight };
  }

  /** Connects one peer after the other, and drops those that the settings take away. */
  private connect(now: number, { peers, peerMs, cut }: NodeSettings, network: NetworkTruth | undefined): void {
    this.cutSince = cut ? (this.cutSince ?? now) : undefined;
    if (this.cutSince !== undefined) {
      if (now - this.cutSince > cutUnnoticedMs) this.connected = 0;
      this.searchesSince = now;
      return;
    }
    if (network === undefined) {
      if (now - this.reachedAt > peersLostMs) this.connected = 0;
      this.searchesSince = now;
      return;
    }
    this.reachedAt = now;
    this.connected = Math.min(this.connected, peers);
    while (this.connected < peers && now - this.searchesSince >= peerMs) {
      this.connected += 1;
      this.searchesSince += peerMs;
      this.claimed = network.height;
    }
    if (this.connected === peers) this.searchesSince = now;
  }
}

/** Number of missing momentums up to which a synced node gets them by gossip and stays synced. */
const followed = 10;

/**
 * Returns for how many milliseconds a node shows state 1, below its target, at each new momentum. It is a 200th of the
 * time between two momentums, so a fast chain shows state 1 to the same share of lookups. It is 0 if momentums come
 * faster than one a second: nobody could see it.
 */
function takingIn({ momentumSeconds }: NetworkTruth): number {
  return momentumSeconds < 1 ? 0 : momentumSeconds * 5;
}
