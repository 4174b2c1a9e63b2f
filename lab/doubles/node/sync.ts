import type { NodeSettings } from "../chain/settings";
import type { NetworkTruth } from "../chain/truth";

/** What stats.syncInfo gives. */
export interface SyncInfo {
  state: number;
  currentHeight: number;
  targetHeight: number;
}

/** A node's way along the chain. Pure: time, settings and network come from outside. */
export class Sync {
  private credit = 0;
  private synced = false;
  private staleTarget: number | undefined;
  /** When the momentums that it is taking in were heard of. */
  private heardAt: number | undefined;

  constructor(
    private current: number,
    /** When the RPC opened, milliseconds. */
    private readonly openedAt: number,
    private last: number = openedAt,
  ) {}

  /** The true height, whatever the RPC says. */
  get height(): number {
    return this.current;
  }

  /** True when the node is at the network's height and hears of its momentums. */
  get isSynced(): boolean {
    return this.synced;
  }

  /** Goes on to `now`. */
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

  /** What the RPC says at `now`: the truth, bent by the settings. */
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

/** A synced node gets new momentums by gossip, and follows. */
const followed = 10;

/**
 * Milliseconds for which it shows state 1, below its target, at each new momentum: a 200th of the time between two, so that
 * as many looks meet it on a chain in a hurry; none on one whose momentums come faster than that could be seen.
 */
function takingIn({ momentumSeconds }: NetworkTruth): number {
  return momentumSeconds < 1 ? 0 : momentumSeconds * 5;
}
