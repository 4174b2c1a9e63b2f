/** Identifiers that look like the provider's and are the same for the same seed. */
export class Ids {
  #state: number;
  readonly #last = new Map<string, number>();

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number that grows in uneven steps, as those of a provider with many customers do. */
  number(kind: string, start: number): number {
    const next = (this.#last.get(kind) ?? start) + 1 + (this.#next() % 97);
    this.#last.set(kind, next);
    return next;
  }

  uuid(): string {
    const hex = Array.from({ length: 4 }, () => this.#next().toString(16).padStart(8, "0")).join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  // mulberry32
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}
