import type { WhichHost } from "../../core/orchestrator/rules/journal";

type Struck = `${"reboot" | "cut" | "lose" | "unmask" | "start"} ${WhichHost}`;

/** A failure right before an effect. */
export type Blow = "none" | "fail" | "kill" | "break" | "store refuses" | Struck;

/** Moment of a run that a blow may fall on. */
export interface Moment {
  readonly what: string;
  readonly side: WhichHost;
  /** Index of the effect in its script. */
  readonly index: number;
}

export class Killed extends Error {
  /** True, as after a takeover by another run: the saga does nothing more. */
  readonly taken = true;
}
