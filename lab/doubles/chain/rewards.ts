import { z } from "zod";
import type { Pillar } from "./pillars";
import type { Slot } from "./production";

const amount = z.string().regex(/^\d+$/, "is no amount");
const amounts = { znnAmount: amount, qsrAmount: amount };

/** Rewards that a test sets for an address in place of the earned and distributed ones. Later epochs add to them. */
export const rewardsPatchSchema = z.strictObject({
  uncollected: z.strictObject(amounts).optional(),
  history: z.array(z.strictObject({ epoch: z.number().int(), ...amounts })).optional(),
});

export type RewardsPatch = z.infer<typeof rewardsPatchSchema>;

/** Amounts of the two coins in their smallest unit. Too big for a float. */
export interface Amounts {
  znnAmount: string;
  qsrAmount: string;
}

/** Rewards that an address has not collected yet. */
export type UncollectedReward = Amounts & { address: string };

/** An address's reward for one epoch. */
export type EpochReward = Amounts & { epoch: number };

/** Input of a distribution: the newest epoch that is due, and the epoch and the payee of each slot. */
export interface Distribution {
  slots: readonly Slot[];
  due: number;
  epochOf(slot: Slot): number;
  /** Returns the Pillar that is paid for a slot, with its delegators' percentage. */
  payeeOf(slot: Slot): Pick<Pillar, "withdrawAddress" | "giveMomentumRewardPercentage"> | undefined;
}

/** Rewards that epochs paid to addresses, and what is left to collect. */
export class Rewards {
  private readonly uncollected = new Map<string, Amounts>();
  private readonly paid = new Map<string, Map<number, Amounts>>();
  private readonly byHand = new Map<string, { history: EpochReward[]; until: number }>();
  private newest = -1;
  private paidSlots = 0;

  /** Returns the newest distributed epoch, or -1 before the first. */
  get distributed(): number {
    return this.newest;
  }

  /** Pays for the momentums produced in the epochs that are due, each momentum once. */
  distribute({ slots, due, epochOf, payeeOf }: Distribution): void {
    for (; this.paidSlots < slots.length; this.paidSlots++) {
      const slot = slots[this.paidSlots] as Slot;
      const epoch = epochOf(slot);
      if (epoch > due) break;
      const payee = payeeOf(slot);
      if (payee !== undefined && epoch > this.newest && slot.nodes.length > 0)
        this.pay(payee.withdrawAddress, epoch, keptOf(payee.giveMomentumRewardPercentage));
    }
    this.newest = Math.max(this.newest, due);
  }

  /**
   * Starts a new numbering of epochs. Earlier payments have no number in it, so they leave the history. Uncollected
   * amounts stay.
   */
  recount(distributed: number): void {
    this.paid.clear();
    for (const set of this.byHand.values()) set.until = distributed;
    this.newest = distributed;
  }

  /** Sets what an address has earned so far. */
  patch(address: string, { uncollected, history }: RewardsPatch): void {
    if (uncollected !== undefined) this.uncollected.set(address, uncollected);
    if (history !== undefined)
      this.byHand.set(address, { history: history.toSorted((a, b) => b.epoch - a.epoch), until: this.newest });
  }

  /** Returns the uncollected rewards of an address and resets them to zero. */
  collect(address: string): UncollectedReward {
    const collected = this.of(address);
    this.uncollected.delete(address);
    return collected;
  }

  /** Returns the rewards that an address has not collected. */
  of(address: string): UncollectedReward {
    return { address, ...(this.uncollected.get(address) ?? nothing) };
  }

  /**
   * Returns a page of an address's epochs, newest first. As on the real network, it lists every epoch, with 0 if
   * nothing was paid.
   */
  page(address: string, page: number, size: number): { count: number; list: EpochReward[] } {
    const { history, until } = this.byHand.get(address) ?? { history: [], until: -1 };
    const fromEpochs = this.newest - until;
    const count = fromEpochs + history.length;
    const list: EpochReward[] = [];
    for (let index = page * size; index < Math.min(count, (page + 1) * size); index++) {
      const epoch = this.newest - index;
      const set = history[index - fromEpochs];
      list.push(set ?? { epoch, ...(this.paid.get(address)?.get(epoch) ?? nothing) });
    }
    return { count, list };
  }

  private pay(address: string, epoch: number, amounts: Amounts): void {
    const rows = this.paid.get(address) ?? new Map<number, Amounts>();
    this.paid.set(address, rows.set(epoch, sum(rows.get(epoch), amounts)));
    this.uncollected.set(address, sum(this.uncollected.get(address), amounts));
  }
}

const nothing: Amounts = { znnAmount: "0", qsrAmount: "0" };

const sum = (one: Amounts = nothing, other: Amounts): Amounts => ({
  znnAmount: String(BigInt(one.znnAmount) + BigInt(other.znnAmount)),
  qsrAmount: String(BigInt(one.qsrAmount) + BigInt(other.qsrAmount)),
});

// About a fifth of a coin, which has 8 decimals. Pillars earn no QSR.
const perMomentum = 20_000_000n;

const keptOf = (given: number): Amounts => ({
  znnAmount: String((perMomentum * BigInt(100 - given)) / 100n),
  qsrAmount: "0",
});
