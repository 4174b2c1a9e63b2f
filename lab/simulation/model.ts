import type { SagaActions } from "../../core/orchestrator/move/saga";
import type { MoveStep } from "../../core/orchestrator/rules/decideMove";
import type { HostState, HostStates } from "../../core/orchestrator/rules/hostStates";
import { assignRoles, type Saga, type WhichHost } from "../../core/orchestrator/rules/journal";
import { type Blow, Killed, type Moment } from "./blow";
import { boot, cutPower, installed, keyOf, liesInPlace, type ModelHost, signing, wouldBoot } from "./host";
import { begin, type Call, current, effectsOf, type ScriptName } from "./scripts";

/** Settings of a model beyond its hosts. */
export interface ModelSettings {
  /** Called after each effect of the program, and after each boot. @throws if a promise is broken */
  readonly check?: (what: string, by: "program" | "power", host: ModelHost) => void;
  /** Called for each event about a saga. */
  readonly record?: (line: "begun" | "starting", saga: Saga) => void;
  /** Called when a share is sealed in a backup. */
  readonly backUp?: (share: number | undefined) => void;
  /** Returns the share in the newest backup; undefined if it is not of the bridge's key. */
  readonly restored?: () => number | undefined;
  /** Token of the run, for the hosts' locks. */
  readonly token?: string;
  /** False lets scripts overwrite another stack's move; the real ones refuse to. */
  readonly isGuarded?: boolean;
}

/**
 * Two hosts and an engine that can be struck at any moment. Does each step of core/orchestrator/move/moveSteps.ts as
 * calls of the scripts, and each script as single effects.
 */
export class Model implements SagaActions {
  readonly story: string[] = [];
  blows = 0;
  /** True once the event log refuses every write. */
  private storeRefuses = false;

  /** @param all hosts of the orchestrator, those of other stacks too: it may run on any of them */
  constructor(
    private readonly blow: (at: Moment) => Blow | Promise<Blow>,
    readonly hosts: Record<WhichHost, ModelHost> = { old: signing("198.51.100.7"), new: installed("203.0.113.9") },
    private readonly all: readonly ModelHost[] = Object.values(hosts),
    private readonly settings: ModelSettings = {},
  ) {}

  say = () => undefined;
  isWatched = () => true;

  async look(): Promise<HostStates> {
    return { old: this.lookAt("old"), new: this.lookAt("new") };
  }

  private lookAt(side: WhichHost): HostState {
    const { reachable, journal, running, masked } = this.hosts[side];
    const inPlace = liesInPlace(this.hosts[side]) ? { inPlace: true } : {};
    return reachable ? { journal, active: running, masked, ...inPlace } : undefined;
  }

  get signers(): WhichHost[] {
    return (["old", "new"] as const).filter((side) => this.hosts[side].running);
  }

  private check(what: string, by: "program" | "power", host: ModelHost): void {
    if (this.settings.check) {
      this.settings.check(what, by, host);
      return;
    }
    const brief = (side: WhichHost) => {
      const {
        address: _,
        journal,
        running,
        masked,
        keyAside,
        reachable,
        durable: _durable,
        ...rest
      } = this.hosts[side];
      const flags = Object.entries({ running, masked, keyAside, reachable }).filter(([, is]) => is);
      return `${side}: ${journal?.direction} ${journal?.stage} ${flags.map(([name]) => name)} ${JSON.stringify(rest)}`;
    };
    this.story.push(`${what}: ${brief("old")} | ${brief("new")}`);
    const maySign = this.all.filter((each) => each.running || wouldBoot(each));
    if (maySign.length > 1) throw new Error(`two sides may sign after ${what}\n${this.story.join("\n")}`);
    for (const each of this.all) if (each.running) each.directory = (each.directory ?? 0) + 1;
  }

  reboot(side: WhichHost): void {
    boot(this.hosts[side]);
    this.check(`reboot of ${side}`, "power", this.hosts[side]);
  }

  /** @param side that the call is on; undefined for a call on neither host */
  private strike(blow: Blow, side: WhichHost | undefined, what: string, rest: () => void): void {
    if (blow === "none") return;
    if (blow === "store refuses") {
      this.storeRefuses = true;
      return;
    }
    if (blow === "fail") throw new Error(`${what} failed`);
    const broken = () => Object.assign(new Error(`${what}: the connection broke`), { broken: true });
    if (blow === "kill") {
      rest();
      throw new Killed(what);
    }
    if (blow === "break") {
      rest();
      throw broken();
    }
    const [how, struck] = blow.split(" ") as ["reboot" | "cut" | "lose" | "unmask" | "start", WhichHost];
    const host = this.hosts[struck];
    if (how === "reboot") boot(host);
    if (how === "cut") cutPower(host);
    if (how === "lose") host.reachable = false;
    if (how === "unmask" || how === "start") {
      this.byHand(struck, how === "start");
      return;
    }
    if (how !== "lose") this.check(blow, "power", host);
    if (struck === side) throw broken();
  }

  /**
   * Unmasks an orchestrator by hand, and starts it if asked. Does nothing next to another one: two that were started by
   * hand are not the program's doing.
   */
  private byHand(side: WhichHost, isStarted: boolean): void {
    const [host, other] = [this.hosts[side], this.hosts[side === "old" ? "new" : "old"]];
    if (other.running || (other.enabled && !other.masked)) return;
    host.masked = false;
    if (isStarted) host.running = host.directory !== undefined && !host.keyAside;
    this.check(`a hand on ${side}`, "power", host);
  }

  /** Calls a script on a host: its effects in order. A blow may fall before each. */
  private async effects(side: WhichHost, what: string, made: () => readonly (() => void)[]): Promise<void> {
    const host = this.hosts[side];
    let effects: readonly (() => void)[] | undefined;
    for (let index = 0; effects === undefined || index < effects.length; index += 1) {
      const blow = await this.blow({ what, side, index });
      if (!host.reachable) throw Object.assign(new Error(`${side} does not answer`), { broken: true });
      if (blow !== "none") {
        this.blows += 1;
        this.story.push(`-- ${blow} before effect ${index} of ${what}`);
      }
      const rest = () => {
        // The script on the host may finish without its engine, or die with the connection: every second blow lets it
        // finish.
        if (effects && this.blows % 2 === 0) for (const left of effects.slice(index)) this.effect(what, left, host);
      };
      this.strike(blow, side, what, rest);
      // Checks the lock when the script begins: another run may have taken it in the meantime.
      if (effects === undefined) {
        const { token } = this.settings;
        if (token !== undefined && host.owner !== token) throw new Killed(`${what}: another run has taken over`);
        effects = made();
      }
      const effect = effects[index];
      if (effect) this.effect(what, effect, host);
    }
  }

  private effect(what: string, effect: () => void, host: ModelHost): void {
    effect();
    this.check(what, "program", host);
  }

  private async script(side: WhichHost, name: ScriptName, saga: Saga, stage?: Call["stage"]): Promise<void> {
    const host = this.hosts[side];
    const call = this.call(side, saga, stage);
    await this.effects(side, `${name}${stage ? ` ${stage}` : ""} ${saga.direction}`, () => {
      if (this.settings.isGuarded !== false) begin(host, call);
      return effectsOf(name, host, call);
    });
  }

  private call(side: WhichHost, saga: Saga, stage?: Call["stage"]): Call {
    const otherAddress = this.hosts[side === "old" ? "new" : "old"].address;
    const keys = { old: keyOf(this.hosts.old), new: keyOf(this.hosts.new) };
    return { saga, side, otherAddress, keys, ...(stage ? { stage } : {}) };
  }

  private async copy(saga: Saga): Promise<void> {
    const { source, target } = assignRoles(saga);
    await this.effects(target, `copy ${saga.direction}`, () => [
      () => {
        if (!this.hosts[source].reachable) throw Object.assign(new Error("the copy broke off"), { broken: true });
        if (this.settings.isGuarded !== false)
          for (const side of ["old", "new"] as const) current(this.hosts[side], this.call(side, saga));
        if (this.hosts[source].directory === undefined) throw new Error("the copy broke off: no such directory");
        const to = this.hosts[target];
        // A share that the copy overwrites is kept (copy_keep_shares).
        if (to.staging !== undefined && to.staging !== this.hosts[source].directory)
          to.kept = Math.max(to.kept ?? 0, to.staging);
        to.staging = this.hosts[source].directory;
      },
    ]);
  }

  private async unpack(saga: Saga): Promise<void> {
    const { target } = assignRoles(saga);
    const share = this.settings.restored?.();
    if (share === undefined) throw new Error("the backup's key share is not of the bridge's key");
    await this.script(target, "signer_staging", saga);
    await this.effects(target, "signer_unpack", () => [
      () => {
        const to = this.hosts[target];
        to.kept = Math.max(to.kept ?? 0, to.staging ?? 0);
        to.staging = share;
      },
    ]);
    await this.script(target, "signer_arrive", saga);
  }

  private verify(side: WhichHost): void {
    if (!this.hosts[side].running) throw new Error(`the signer of the ${side} host does not run`);
  }

  async record(line: "begun" | "starting", saga: Saga): Promise<void> {
    if (this.settings.record === undefined) return;
    const what = `record ${line} ${saga.direction}`;
    const blow = await this.blow({ what, side: assignRoles(saga).source, index: 0 });
    // Writing the event log uses no connection to a host that could break.
    this.strike(blow === "break" ? "fail" : blow, undefined, what, () => undefined);
    if (this.storeRefuses) throw new Error(`${what}: the record could not be written`);
    this.settings.record(line, saga);
  }

  async perform(step: MoveStep, saga: Saga, looks?: HostStates): Promise<HostStates> {
    const { source, target } = assignRoles(saga);
    switch (step) {
      case "unpack":
        await this.unpack(saga);
        break;
      case "bulk":
        await this.script(target, "signer_staging", saga);
        await this.copy(saga);
        break;
      case "stop":
        await this.script(source, "signer_stop", saga);
        break;
      case "backup":
        await this.effects(source, "backup", () => [() => this.settings.backUp?.(this.hosts[source].directory)]);
        await this.copy(saga);
        break;
      case "fence":
        await this.script(source, "signer_fence", saga);
        break;
      case "copy":
        await this.script(target, "signer_staging", saga);
        await this.copy(saga);
        await this.script(target, "signer_arrive", saga);
        break;
      case "arrive":
        await this.script(target, "signer_arrive", saga);
        break;
      case "start":
        await this.script(target, "signer_start", saga);
        this.verify(target);
        await this.script(target, "signer_settle", saga, "running");
        break;
      case "close":
        await this.script(source, "signer_settle", saga, "moved");
        break;
      case "seal":
        await this.script(target, "signer_seal", saga);
        break;
      case "restore":
        if (liesInPlace(this.hosts[target])) throw new Error("two sides hold the signer in its place");
        await this.script(source, "signer_restore", saga);
        this.verify(source);
        await this.script(source, "signer_settle", saga, "restored");
        break;
    }
    return this.after(step, saga, looks);
  }

  /** Returns the state after a step, as HostPair.step does: reads only the host of the call anew. */
  private after(step: MoveStep, saga: Saga, looks?: HostStates): HostStates {
    const { source, target } = assignRoles(saga);
    const onSource = step === "stop" || step === "fence" || step === "close" || step === "restore";
    const seen = { old: this.lookAt("old"), new: this.lookAt("new") };
    if (looks === undefined) return seen;
    if (step === "backup") return looks;
    const side = onSource ? source : target;
    return { ...looks, [side]: seen[side] };
  }
}
