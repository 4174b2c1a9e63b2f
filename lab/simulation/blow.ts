import type { SideName } from "../../core/orchestrator/rules/journal";

type Struck = `${"reboot" | "cut" | "lose" | "unmask" | "start"} ${SideName}`;

/** What may happen right before an effect. */
export type Blow = "none" | "fail" | "kill" | "break" | "store refuses" | Struck;

/** Where a blow falls. */
export interface Moment {
  readonly what: string;
  readonly side: SideName;
  /** Of the effect in its script. */
  readonly index: number;
}

export class Killed extends Error {
  /** As where another run took over: this one does nothing more. */
  readonly taken = true;
}
