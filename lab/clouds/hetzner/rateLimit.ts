import { usualError } from "./apiError";

const LIMIT = 3600;

/** The project's allowance: full at first, one request more each second. */
export class RateLimit {
  private left = LIMIT;
  private at: number;

  constructor(private readonly now: () => number) {
    this.at = now();
  }

  take(): void {
    const passed = Math.floor((this.now() - this.at) / 1000);
    this.left = Math.min(LIMIT, this.left + passed);
    this.at += passed * 1000;
    if (this.left === 0) throw usualError(429, undefined, undefined, 1);
    this.left -= 1;
  }

  headers(): Record<string, string> {
    const fullAt = Math.floor(this.now() / 1000) + LIMIT - this.left;
    return {
      "ratelimit-limit": String(LIMIT),
      "ratelimit-remaining": String(this.left),
      "ratelimit-reset": String(fullAt),
    };
  }
}
