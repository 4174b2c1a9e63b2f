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
  private readonly payees = new Map<string, Payee>();
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
    payeeOf(slot: Slot): Payee | undefined;
  }): void {
    for (; this.paidSlots < slots.length; this.paidSlots++) {
      const slot = slots[this.paidSlots] as Slot;
      const epoch = epochOf(slot);
      if (epoch > due) break;
      const payee = payeeOf(slot);
      if (payee === undefined || epoch <= this.distributed || slot.nodes.length === 0) continue;
      this.pay(payee.withdrawAddress, epoch, keptBy(payee));
      this.payees.set(`${slot.pillar} ${epoch}`, payee);
    }
    this.distributed = Math.max(this.distributed, due);
  }

  /**
   * Starts a new numbering of epochs. Earlier payments have no number in it, so they leave the history. Uncollected
   * amounts stay.
   */
  recount(distributed: number): void {
    this.paid.clear();
    this.payees.clear();
    this.distributed = distributed;
  }

  /** Returns a Pillar as it was when an epoch was paid; undefined if it had produced nothing in it. */
  payeeOf(pillar: string, epoch: number): Payee | undefined {
    return this.payees.get(`${pillar} ${epoch}`);
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

  private pay(address: string, epoch: number, amount: Amounts): void {
    const rows = this.paid.get(address) ?? new Map<number, Amounts>();
    this.paid.set(address, rows.set(epoch, sum(rows.get(epoch), amount)));
    this.uncollected.set(address, sum(this.uncollected.get(address), amount));
  }
}

/** A Pillar as it is when its rewards are paid (go-zenon, vm/embedded/implementation/pillars.go:409). */
type Payee = Pick<Pillar, "withdrawAddress" | "giveMomentumRewardPercentage" | "giveDelegateRewardPercentage">;

const nothing: Amounts = { znnAmount: "0", qsrAmount: "0" };

const sum = (one: Amounts = nothing, other: Amounts): Amounts => ({
  znnAmount: String(BigInt(one.znnAmount) + BigInt(other.znnAmount)),
  qsrAmount: String(BigInt(one.qsrAmount) + BigInt(other.qsrAmount)),
});

/** Amount of each kind for a momentum: a fifth of a coin, which has 8 decimals. Pillars earn no QSR. */
const perMomentum = 20_000_000;

/** Returns what a Pillar keeps of a momentum's rewards. The rest goes to its delegators, who are nobody in the lab. */
function keptBy({ giveMomentumRewardPercentage, giveDelegateRewardPercentage }: Payee): Amounts {
  const kept = 200 - giveMomentumRewardPercentage - giveDelegateRewardPercentage;
  return { znnAmount: String((perMomentum * kept) / 100), qsrAmount: "0" };
}
