import type { SagaActions } from "../../core/orchestrator/move/saga.ts";
import {
  assignRoles,
  type HostState,
  type HostStates,
  type Saga,
  type WhichHost,
} from "../../core/orchestrator/rules/journal.ts";
import type { MoveStep } from "../../core/orchestrator/rules/moveSteps.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { boot, cutPower, installed, keyOf, liesInPlace, type ModelHost, signing } from "./host.ts";
import { begin, type Call, effectsOf, type ScriptName } from "./scripts.ts";
import { type Change, isAt } from "./state.ts";

type Struck = `${"reboot" | "cut" | "lose" | "unmask" | "start"} ${WhichHost}`;

/** A failure, or what a hand does, right before an effect. */
export type Blow = "none" | "fail" | "kill" | "break" | "store refuses" | Struck;

/** Moment of a run that a blow may fall on. */
export interface Moment {
  readonly what: string;
  readonly side: WhichHost;
  /** Index of the effect in its script. */
  readonly index: number;
}

/** As after a takeover by another run: the saga does nothing more. */
export class Killed extends ProblemError {
  constructor(what: string) {
    super({ kind: "anotherRun", what });
  }
}

/** Settings of a model beyond its hosts. */
interface ModelSettings {
  /** All hosts of the orchestrator, those of other stacks too: it may run on any of them. */
  readonly all?: readonly ModelHost[];
  /** Called after each effect of the program, each boot, and each change by hand. */
  readonly check?: (change: Change) => void;
  /** Called for each event about a saga. */
  readonly record?: SagaActions["record"];
  /** Asks for the fence of the old host. */
  readonly isFenced?: SagaActions["isFenced"];
  /** Called when a share is sealed in a backup. */
  readonly backUp?: (share: number | undefined) => void;
  /** Returns the share in the backup that takes the old host's place. @throws if the program refuses that backup */
  readonly restored?: () => number;
  /** Token of the run, for the hosts' locks. */
  readonly token?: string;
}

type Part = ScriptName | "copy" | "backup" | "unpack" | "verify";

/** Calls of each step of core/orchestrator/move/moveActions.ts, in order. */
const steps: Record<MoveStep, readonly `${"source" | "target"} ${Part}`[]> = {
  unpack: ["target orchestrator_staging", "target unpack", "target orchestrator_arrive"],
  bulk: ["target orchestrator_staging", "target copy"],
  stop: ["source orchestrator_stop"],
  backup: ["source backup", "target copy"],
  fence: ["source orchestrator_fence"],
  copy: ["target orchestrator_staging", "target copy", "target orchestrator_arrive"],
  arrive: ["target orchestrator_arrive"],
  start: ["target orchestrator_start", "target verify", "target orchestrator_settle"],
  close: ["source orchestrator_settle"],
  seal: ["target orchestrator_seal"],
  restore: ["source orchestrator_restore", "source verify", "source orchestrator_settle"],
};
const settledStages: Partial<Record<MoveStep, Call["stage"]>> = {
  start: "running",
  close: "moved",
  restore: "restored",
};

const brokenConnection = (what: string) => Object.assign(new Error(`${what}: no connection`), { broken: true });

/** Two hosts and an engine that can be struck at any moment. Does each script of a step as single effects. */
export class Model implements SagaActions {
  blows = 0;
  /** True once the event log refuses every write. */
  storeRefuses = false;
  /** Generation of the saga whose target this run started and verified. */
  generation?: number;

  constructor(
    private readonly blow: (at: Moment) => Blow | Promise<Blow>,
    readonly hosts: Record<WhichHost, ModelHost> = { old: signing("198.51.100.7"), new: installed("203.0.113.9") },
    private readonly settings: ModelSettings = {},
  ) {}

  say = () => undefined;
  isWatched = true;
  check: SagaActions["check"] = async () => undefined;
  isFenced = async (states: HostStates) => (await this.settings.isFenced?.(states)) ?? false;

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

  /** @param side that the call is on; undefined for a call on neither host */
  private strike(blow: Blow, side: WhichHost | undefined, what: string, rest: () => void): void {
    if (blow === "none") return;
    if (blow === "fail") throw new Error(`${what} failed`);
    if (blow === "store refuses") this.storeRefuses = true;
    if (blow === "kill" || blow === "break") rest();
    if (blow === "kill") throw new Killed(what);
    if (blow === "break") throw brokenConnection(what);
    const [how, struck] = blow.split(" ");
    if (struck !== "old" && struck !== "new") return;
    const host = this.hosts[struck];
    if (how === "unmask" || how === "start") {
      this.byHand(host, how === "start");
      return;
    }
    if (how === "reboot") boot(host);
    if (how === "cut") cutPower(host);
    if (how === "lose") host.reachable = false;
    else this.settings.check?.({ what: blow, by: "power", host });
    if (struck === side) throw brokenConnection(what);
  }

  /**
   * Unmasks an orchestrator by hand, and starts it if asked. Does nothing next to another one, or while one starts: what
   * a hand starts beside it is not the program's doing.
   */
  private byHand(host: ModelHost, isStarted: boolean): void {
    const { all = Object.values(this.hosts) } = this.settings;
    if (host.isGone || all.some((each) => each !== host && (isAt(each) || each.journal?.stage === "starting"))) return;
    host.masked = false;
    if (isStarted) host.running = host.directory !== undefined && !host.keyAside;
    this.settings.check?.({ what: "a hand", by: "power", host });
  }

  /** Calls a script on a host: its effects in order. A blow may fall before each. */
  private async effects(side: WhichHost, what: string, made: () => readonly (() => void)[]): Promise<void> {
    const host = this.hosts[side];
    const effect = (each: () => void) => {
      each();
      this.settings.check?.({ what, by: "program", host });
    };
    let effects: readonly (() => void)[] | undefined;
    for (let index = 0; effects === undefined || index < effects.length; index += 1) {
      const blow = await this.blow({ what, side, index });
      if (!host.reachable) throw brokenConnection(what);
      if (blow !== "none") this.blows += 1;
      // The script on the host may finish without its engine, or die with the connection: every second blow lets it
      // finish.
      const left = this.blows % 2 === 0 ? (effects?.slice(index) ?? []) : [];
      this.strike(blow, side, what, () => left.forEach(effect));
      // Checks the lock when the script begins: another run may have taken it in the meantime.
      if (effects === undefined) {
        const { token } = this.settings;
        if (token !== undefined && host.owner !== token) throw new Killed(`${what}: another run has taken over`);
        effects = made();
      }
      const next = effects[index];
      if (next) effect(next);
    }
  }

  private call(side: WhichHost, saga: Saga, looks: HostStates, stage?: Call["stage"]): Call {
    const otherAddress = this.hosts[side === "old" ? "new" : "old"].address;
    const keys = { old: keyOf(this.hosts.old), new: keyOf(this.hosts.new) };
    return { saga, side, otherAddress, keys, stage, read: looks[side]?.journal };
  }

  private copy(saga: Saga, looks: HostStates): void {
    const { source, target } = assignRoles(saga);
    const [from, to] = [this.hosts[source], this.hosts[target]];
    if (!from.reachable) throw brokenConnection("the copy");
    // The other host checks it only where it gives the right to the copy.
    begin(this.hosts.new, { read: looks.new?.journal });
    if (from.directory === undefined) throw new Error("the copy broke off: no such directory");
    // A share that the copy overwrites is kept (copy_keep_shares).
    if (to.staging !== undefined && to.staging !== from.directory) to.kept = Math.max(to.kept ?? 0, to.staging);
    to.staging = from.directory;
  }

  private async part(side: WhichHost, name: Part, saga: Saga, looks: HostStates, stage?: Call["stage"]) {
    const host = this.hosts[side];
    if (name === "verify") {
      if (!host.running) throw new Error(`the signer of the ${side} host does not run`);
    } else if (name === "copy") await this.effects(side, name, () => [() => this.copy(saga, looks)]);
    else if (name === "backup") await this.effects(side, name, () => [() => this.settings.backUp?.(host.directory)]);
    else if (name === "unpack") {
      const unpack = () =>
        Object.assign(host, { kept: Math.max(host.kept ?? 0, host.staging ?? 0), staging: this.share() });
      await this.effects(side, name, () => [unpack]);
    } else {
      const call = this.call(side, saga, looks, stage);
      await this.effects(side, `${name} ${saga.direction}`, () => effectsOf(name, host, call));
    }
  }

  private share(): number {
    if (this.settings.restored === undefined) throw new Error("no backup is configured");
    return this.settings.restored();
  }

  async record(line: "begun" | "starting", saga: Saga): Promise<void> {
    if (this.settings.record === undefined) return;
    const what = `record ${line} ${saga.direction}`;
    const blow = await this.blow({ what, side: assignRoles(saga).source, index: 0 });
    // Writing the event log uses no connection to a host that could break.
    this.strike(blow === "break" ? "fail" : blow, undefined, what, () => undefined);
    if (this.storeRefuses) throw new Error(`${what}: the record could not be written`);
    await this.settings.record(line, saga);
  }

  /** Does a step. @returns the state after it, as HostPair.step does: only the host of the last call is read anew */
  async perform(step: MoveStep, saga: Saga, looks: HostStates): Promise<HostStates> {
    const roles = assignRoles(saga);
    if (step === "unpack") this.share();
    if (step === "restore" && liesInPlace(this.hosts[roles.target]))
      throw new Error("two sides hold the signer in its place");
    let after = looks;
    for (const call of steps[step]) {
      const [role, name] = call.split(" ") as ["source" | "target", Part];
      await this.part(roles[role], name, saga, after, settledStages[step]);
      if (name.startsWith("orchestrator_")) after = { ...after, [roles[role]]: this.lookAt(roles[role]) };
    }
    if (step === "start") this.generation = saga.generation ?? 0;
    return step === "unpack" ? this.look() : after;
  }
}
