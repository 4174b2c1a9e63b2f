import type { NetworkTruth } from "../chain/chain";
import type { NodeSettings } from "../chain/settings";

/** Answer of stats.syncInfo. */
export interface SyncInfo {
  state: number;
  currentHeight: number;
  targetHeight: number;
}

/** A node's progress along the chain. Does no I/O: time, settings, and network are parameters. */
export class Sync {
  private credit = 0;
  private synced = false;
  private staleTarget: number | undefined;
  /** Time at which the node heard of the momentums that it is taking in. */
  private heardAt: number | undefined;

  constructor(
    private current: number,
    /** Time at which the RPC opened, in milliseconds. */
    private readonly openedAt: number,
    private last: number = openedAt,
  ) {}

  /** Returns the true height, whatever the RPC claims. */
  get height(): number {
    return this.current;
  }

  /** True if the node has the network's height and receives new momentums. */
  get isSynced(): boolean {
    return this.synced;
  }

  /** Advances the node to `now`. */
  advance(now: number, settings: NodeSettings, network: NetworkTruth | undefined): void {
    const seconds = Math.max(0, now - this.last) / 1000;
    this.last = now;
    const { staleTarget } = settings;
    if (typeof staleTarget === "number") this.staleTarget = staleTarget;
    else this.staleTarget = staleTarget ? (this.staleTarget ?? network?.height) : undefined;
    if (network === undefined || !this.hasPeers(now, settings)) {
      this.synced = false;
      return;
    }
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
  }

  /** Returns what the RPC claims at `now`: the true values, distorted by the settings. */
  info(now: number, settings: NodeSettings, network: NetworkTruth | undefined): SyncInfo {
    const connected = network !== undefined && this.hasPeers(now, settings);
    const away = settings.flapMs !== null && Math.floor((now - this.openedAt) / settings.flapMs) % 2 === 1;
    const natural = connected ? ((away ? undefined : this.staleTarget) ?? network.height) : 0;
    const currentHeight = settings.forceHeight ?? this.current;
    const targetHeight = settings.forceTarget ?? natural;
    const state = connected ? (away || this.current < targetHeight ? 1 : 2) : 3;
    return { state, currentHeight, targetHeight };
  }

  private hasPeers(now: number, settings: NodeSettings): boolean {
    return now - this.openedAt >= settings.connectMs && settings.peers > 0;
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
