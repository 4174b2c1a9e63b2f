import { type Candidate, electedOf } from "./elections.ts";
import { backgroundWeight, newPillar, type Registry } from "./registration.ts";
import { startOf, type Ticks, type Timeline, tickAt } from "./timeline.ts";

const usualName = "Anvil";

/**
 * Elections of Pillars for slots. Next to the registered Pillars there are background Pillars, which never miss a slot.
 */
export class Schedule {
  backgroundPillars = 3;
  tickMomentums = 30;
  /** Election of the last requested tick. */
  private elected: { key: string; names: string[] } = { key: "", names: [] };

  constructor(
    private readonly timeline: Timeline,
    private readonly registry: Registry,
    private readonly chainId: () => string,
  ) {}

  get ticks(): Ticks {
    const { genesis, momentumSeconds } = this.timeline;
    return { genesis: genesis * 1000, length: this.tickMomentums * momentumSeconds * 1000 };
  }

  /** Repeats the election of the running tick. */
  elect(): void {
    this.elected.key = "";
  }

  /** Names the background Pillars. One has the name that most stacks have, until a test registers a Pillar with it. */
  background(): string[] {
    return Array.from({ length: this.backgroundPillars }, (_, index) =>
      index === 0 && this.registry.get(usualName) === undefined ? usualName : `background Pillar ${index}`,
    );
  }

  /** Returns the name of the Pillar elected for a slot. */
  holderOf(number: number): string | undefined {
    const { ticks } = this;
    const at = this.timeline.at(number);
    const tick = tickAt(ticks, at);
    const key = [tick, ticks.length, this.tickMomentums, this.backgroundPillars].join();
    if (this.elected.key !== key) {
      const others = this.background().map((name): Candidate => ({ name, weight: BigInt(backgroundWeight) }));
      const registered = this.registry.all().map(({ name, weight }): Candidate => ({ name, weight: BigInt(weight) }));
      const seed = `${this.chainId()} ${tick}`;
      this.elected = { key, names: electedOf([...others, ...registered], this.tickMomentums, seed) };
    }
    const position = Math.floor((at - startOf(ticks, tick)) / (this.timeline.momentumSeconds * 1000) + 1e-6);
    return this.elected.names[position];
  }

  /** Returns the background address that produces in a slot without a registered producer. */
  backgroundAt(number: number): string {
    const holder = this.holderOf(number);
    const others = this.background();
    const isOther = holder !== undefined && others.includes(holder);
    return newPillar((isOther ? holder : others[number % others.length]) ?? "").producerAddress;
  }

  /** Counts a Pillar's future slots in the running tick. */
  ahead(name: string, now: number): number {
    const { ticks } = this;
    const end = startOf(ticks, tickAt(ticks, now) + 1);
    let ahead = 0;
    for (let slot = this.timeline.slotAt(now) + 1; this.timeline.at(slot) < end; slot++)
      if (this.holderOf(slot) === name) ahead++;
    return ahead;
  }
}
