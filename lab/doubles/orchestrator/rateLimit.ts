/** Allows `perSecond` requests a second, and as many at once after a pause. Times in milliseconds. */
export class RateLimit {
  private tokens: number;
  private last = Number.NEGATIVE_INFINITY;

  constructor(private readonly perSecond: number) {
    this.tokens = perSecond;
  }

  allows(now: number): boolean {
    this.tokens = Math.min(this.perSecond, this.tokens + ((now - this.last) / 1000) * this.perSecond);
    this.last = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
