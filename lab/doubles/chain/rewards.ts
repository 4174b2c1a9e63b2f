import type { Slot } from "./production.ts";
import type { Pillar } from "./registration.ts";

/** Amounts of the two coins in their smallest unit. Too big for a float. */
interface Amounts {
  znnAmount: string;
  qsrAmount: string;
}

/** Rewards that epochs paid to addresses, and what is left to collect. */
export class Rewards {
  private readonly uncollected = new Map<string, Amounts>();
  private readonly paid = new Map<string, Map<number, Amounts>>();
  /** Newest distributed epoch, or -1 before the first. */
  distributed = -1;
  private paidSlots = 0;

  /** Pays for the momentums produced in the epochs that are due, each momentum once. */
  distribute({
    slots,
    due,
    epochOf,
    payeeOf,
  }: {
    readonly slots: readonly Slot[];
    /** Newest epoch that is due. */
    readonly due: number;
    epochOf(slot: Slot): number;
    payeeOf(slot: Slot): Pick<Pillar, "withdrawAddress"> | undefined;
  }): void {
    for (; this.paidSlots < slots.length; this.paidSlots++) {
      const slot = slots[this.paidSlots] as Slot;
      const epoch = epochOf(slot);
      if (epoch > due) break;
      const payee = payeeOf(slot);
      if (payee !== undefined && epoch > this.distributed && slot.nodes.length > 0)
        this.pay(payee.withdrawAddress, epoch);
    }
    this.distributed = Math.max(this.distributed, due);
  }

  /**
   * Starts a new numbering of epochs. Earlier payments have no number in it, so they leave the history. Uncollected
   * amounts stay.
   */
  recount(distributed: number): void {
    this.paid.clear();
    this.distributed = distributed;
  }

  /** Returns the uncollected rewards of an address and resets them to zero. */
  collect(address: string) {
    const collected = this.of(address);
    this.uncollected.delete(address);
    return collected;
  }

  /** Returns the rewards that an address has not collected. */
  of(address: string) {
    return { address, ...(this.uncollected.get(address) ?? nothing) };
  }

  /**
   * Returns a page of an address's epochs, newest first. As on the real network, it lists every epoch, with 0 if
   * nothing was paid.
   */
  page(address: string, page: number, size: number) {
    const count = this.distributed + 1;
    const newest = this.distributed - page * size;
    const list = Array.from({ length: Math.max(0, Math.min(size, newest + 1)) }, (_, index) => {
      const epoch = newest - index;
      return { epoch, ...(this.paid.get(address)?.get(epoch) ?? nothing) };
    });
    return { count, list };
  }

  private pay(address: string, epoch: number): void {
    const rows = this.paid.get(address) ?? new Map<number, Amounts>();
    this.paid.set(address, rows.set(epoch, sum(rows.get(epoch), perMomentum)));
    this.uncollected.set(address, sum(this.uncollected.get(address), perMomentum));
  }
}

const nothing: Amounts = { znnAmount: "0", qsrAmount: "0" };

const sum = (one: Amounts = nothing, other: Amounts): Amounts => ({
  znnAmount: String(BigInt(one.znnAmount) + BigInt(other.znnAmount)),
  qsrAmount: String(BigInt(one.qsrAmount) + BigInt(other.qsrAmount)),
});

// About a fifth of a coin, which has 8 decimals. Pillars earn no QSR.
const perMomentum: Amounts = { znnAmount: "20000000", qsrAmount: "0" };
