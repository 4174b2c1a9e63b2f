import { z } from "zod";

/** A time in which a process that should have been at work was not run: the machine was busy, or asleep. */
export const stallSchema = z.strictObject({
  /** Unix milliseconds. */
  from: z.number(),
  to: z.number(),
});

export type Stall = z.infer<typeof stallSchema>;

/** Shorter ones are how any machine is. */
const least = 500;

/** Finds a process's stalls by a beat that should be a steady one. */
export class StallWatch {
  private last: number;

  constructor(private readonly now: () => number = Date.now) {
    this.last = now();
  }

  /** @returns the stall that ends with this beat */
  beat(): Stall | undefined {
    const [from, to] = [this.last, this.now()];
    this.last = to;
    return to - from > least ? { from, to } : undefined;
  }
}
