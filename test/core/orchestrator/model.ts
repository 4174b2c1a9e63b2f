import type { Looks, MoveStep, SideLook } from "../../../core/orchestrator/decide";
import type { Journal, Saga, SideName } from "../../../core/orchestrator/journal";
import { isSource, sidesOf } from "../../../core/orchestrator/journal";
import type { SagaActions } from "../../../core/orchestrator/saga";

/** Two hosts and an engine that can be struck at any moment: what the scripts do, effect by effect. */

export interface ModelHost {
  readonly address: string;
  journal?: Journal | undefined;
  running: boolean;
  enabled: boolean;
  masked: boolean;
  /** What lies in the directory: a number that grows while it signs. */
  directory?: number | undefined;
  keyAside: boolean;
  staging?: number | undefined;
  reachable: boolean;
}

export type Blow =
  | ("none" | "fail" | "kill" | "break" | "reboot old" | "reboot new" | "lose old" | "lose new")
  | ("unmask old" | "unmask new" | "start old" | "start new");

export class Killed extends Error {
  /** As where another run took over: this one does nothing more. */
  readonly taken = true;
}

/** A host with a signer, and one on which it is installed: masked, not started. */
export const signing = (address: string): ModelHost => ({
  ...{ address, running: true, enabled: true, masked: false, directory: 1, keyAside: false, reachable: true },
});
export const installed = (address: string): ModelHost => ({
  ...{ address, running: false, enabled: false, masked: true, keyAside: false, reachable: true },
});

/** Numbers that are the same in each run (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export class Model implements SagaActions {
  readonly story: string[] = [];
  blows = 0;

  /** @param all hosts of the signer, other stacks' too: on one of them it may sign */
  constructor(
    private readonly blow: () => Blow,
    readonly hosts: Record<SideName, ModelHost> = { old: signing("198.51.100.7"), new: installed("203.0.113.9") },
    private readonly all: readonly ModelHost[] = Object.values(hosts),
  ) {}

  say = () => undefined;
  isWanted = () => true;

  async look(): Promise<Looks> {
    const at = (side: SideName): SideLook => {
      const { reachable, journal, running, masked } = this.hosts[side];
      const inPlace = this.liesInPlace(side) ? { inPlace: true } : {};
      return reachable ? { journal, active: running, masked, ...inPlace } : "outOfSight";
    };
    return { old: at("old"), new: at("new") };
  }

  get signers(): SideName[] {
    return (["old", "new"] as const).filter((side) => this.hosts[side].running);
  }

  /** Whether a seal was cut off before what had come was moved out of its place. */
  private liesInPlace(side: SideName): boolean {
    const { journal, directory, staging } = this.hosts[side];
    const [before, last] = journal?.history.slice(-2) ?? [];
    const came = last?.stage === "abandoned" && (before?.stage === "staged" || before?.stage === "switched");
    return came && directory !== undefined && staging === undefined;
  }

  private check(what: string): void {
    const brief = (side: SideName) => {
      const { address: _, journal, running, masked, keyAside, reachable, ...rest } = this.hosts[side];
      const flags = Object.entries({ running, masked, keyAside, reachable }).filter(([, is]) => is);
      return `${side}: ${journal?.direction} ${journal?.stage} ${flags.map(([name]) => name)} ${JSON.stringify(rest)}`;
    };
    this.story.push(`${what}: ${brief("old")} | ${brief("new")}`);
    const maySign = this.all.filter(({ running, enabled, masked, directory, keyAside }) => {
      return running || (enabled && !masked && directory !== undefined && !keyAside);
    });
    if (maySign.length > 1) throw new Error(`two sides may sign after ${what}\n${this.story.join("\n")}`);
    for (const host of this.all) if (host.running) host.directory = (host.directory ?? 0) + 1;
  }

  reboot(side: SideName): void {
    const host = this.hosts[side];
    host.running = host.enabled && !host.masked && host.directory !== undefined && !host.keyAside;
    this.check(`reboot of ${side}`);
  }

  /** One call on a host: its effects in order, between which it may be struck. */
  private call(side: SideName, what: string, effects: readonly (() => void)[]): void {
    if (!this.hosts[side].reachable) throw Object.assign(new Error(`${side} does not answer`), { broken: true });
    for (const [index, effect] of effects.entries()) {
      const blow = this.blow();
      if (blow !== "none") {
        this.blows += 1;
        this.story.push(`-- ${blow} before effect ${index} of ${what}`);
      }
      const rest = () => {
        // The script on the host goes on without its engine, or dies with the connection.
        if (this.blows % 2 === 0) for (const left of effects.slice(index)) this.effect(what, left);
      };
      if (blow === "fail") throw new Error(`${what} failed`);
      if (blow === "kill") {
        rest();
        throw new Killed(what);
      }
      if (blow === "break") {
        rest();
        throw Object.assign(new Error(`${what}: the connection broke`), { broken: true });
      }
      if (blow === "reboot old" || blow === "reboot new") {
        const struck: SideName = blow === "reboot old" ? "old" : "new";
        this.reboot(struck);
        if (struck === side) throw Object.assign(new Error(`${what}: the connection broke`), { broken: true });
      }
      if (blow === "lose old" || blow === "lose new") {
        const lost: SideName = blow === "lose old" ? "old" : "new";
        this.hosts[lost].reachable = false;
        if (lost === side) throw Object.assign(new Error(`${what}: the connection broke`), { broken: true });
      }
      if (blow === "unmask old" || blow === "start old") this.byHand("old", blow === "start old");
      if (blow === "unmask new" || blow === "start new") this.byHand("new", blow === "start new");
      this.effect(what, effect);
    }
  }

  /** Somebody takes a fence down, and perhaps starts what is there; two signers of a hand's making are not the program's. */
  private byHand(side: SideName, isStarted: boolean): void {
    const [host, other] = [this.hosts[side], this.hosts[side === "old" ? "new" : "old"]];
    if (other.running || (other.enabled && !other.masked)) return;
    host.masked = false;
    if (isStarted) host.running = host.directory !== undefined && !host.keyAside;
    this.check(`a hand on ${side}`);
  }

  private effect(what: string, effect: () => void): void {
    effect();
    this.check(what);
  }

  private write(side: SideName, saga: Saga, stage: Journal["stage"]): () => void {
    return () => {
      const history = [...(this.hosts[side].journal?.history ?? []), { ...saga, stage, at: "" }];
      this.hosts[side].journal = {
        ...saga,
        ...{ version: 1, side, stage, at: "", was: {}, identity: null, history },
        other: { address: this.hosts[side === "old" ? "new" : "old"].address, hostKey: "" },
      };
    };
  }

  async perform(step: MoveStep, saga: Saga): Promise<Looks> {
    const names = sidesOf(saga);
    const [source, target] = [this.hosts[names.source], this.hosts[names.target]];
    if (isSource(names.target, saga)) throw new Error("sides");
    const at = (side: SideName, ...effects: (() => void)[]) => this.call(side, `${step} ${saga.direction}`, effects);
    const write = (side: SideName, stage: Journal["stage"]) => this.write(side, saga, stage);
    const verified = (host: ModelHost, what: string) => {
      if (!host.running) throw new Error(`${what} does not run`);
    };
    const runIt = (host: ModelHost) => () => {
      host.running = !host.masked && host.directory !== undefined && !host.keyAside;
    };
    switch (step) {
      case "bulk":
        at(names.target, write(names.target, "staging"), () => {
          target.staging = source.directory;
        });
        break;
      case "stop":
        at(
          names.source,
          write(names.source, "stopping"),
          () => {
            source.masked = true;
          },
          () => {
            source.running = false;
          },
        );
        break;
      case "backup":
        at(names.source, () => undefined);
        break;
      case "fence":
        if (source.running || !source.masked) throw new Error("fence: it runs");
        at(
          names.source,
          () => {
            source.keyAside = true;
          },
          write(names.source, "fenced"),
        );
        break;
      case "copy":
        at(names.target, write(names.target, "staging"), () => {
          target.staging = source.directory;
        });
        at(names.target, write(names.target, "staged"));
        break;
      case "arrive":
        at(
          names.target,
          () => {
            if (target.staging === undefined) return;
            target.directory = target.staging;
            target.staging = undefined;
            target.keyAside = false;
          },
          write(names.target, "switched"),
        );
        break;
      case "start":
        at(
          names.target,
          write(names.target, "starting"),
          () => {
            target.masked = false;
          },
          runIt(target),
        );
        verified(target, "target");
        at(
          names.target,
          () => {
            target.enabled = true;
          },
          write(names.target, "running"),
        );
        break;
      case "close":
        at(names.source, write(names.source, "moved"));
        break;
      case "seal": {
        at(
          names.target,
          () => {
            target.running = false;
          },
          () => {
            target.masked = true;
          },
          // First: whoever comes between them must not take what is left for a directory in place.
          () => {
            if (target.journal?.stage !== "abandoned") write(names.target, "abandoned")();
          },
          () => {
            if (!this.liesInPlace(names.target)) return;
            target.staging = target.directory;
            target.directory = undefined;
          },
        );
        break;
      }
      case "restore":
        if (this.liesInPlace(names.target)) throw new Error("two sides hold the signer in its place");
        at(
          names.source,
          write(names.source, "restoring"),
          () => {
            source.keyAside = false;
          },
          () => {
            source.masked = false;
          },
          runIt(source),
        );
        verified(source, "source");
        at(
          names.source,
          () => {
            source.enabled = true;
          },
          write(names.source, "restored"),
        );
        break;
    }
    return this.look();
  }
}
