import ms from "ms";
import type { Lab } from "../lab.ts";

/** Value of a fault, as its help shows it. */
export interface FaultValue {
  /** `DURATION`, or the words to choose from: `once|refused`. */
  readonly form: string;
  readonly byDefault: string;
}

/** A fault of a host, its node or its network. `host` is a host's name in the lab. */
export interface FaultKind {
  /** Description in one line. */
  readonly does: string;
  readonly value?: FaultValue;
  /** Sets the fault, and waits until it is active. Setting it again changes its value. */
  set(lab: Lab, host: string, value: string): Promise<void>;
  /** Ends the fault; does nothing if it is not on. */
  heal(lab: Lab, host: string): Promise<void>;
  /** True if the fault is on. Reads the real state, since a reboot heals some faults, too. */
  isOn(lab: Lab, host: string): Promise<boolean>;
}

/** Parses `20s` or `500ms` into milliseconds. @throws for any other text */
export function milliseconds(text: string): number {
  const value = /^\d.*[a-z]$/.test(text) ? (ms(text as ms.StringValue) as number | undefined) : undefined;
  if (value === undefined) throw new Error(`found ${text}, needed a duration such as 20s`);
  return value;
}

/** Parses a height. @throws for any other text */
export function height(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`found ${text}, needed a height`);
  return Number(text);
}

/** Returns the text as one of the words. @throws if it is none of them */
export function oneOf<T extends string>(text: string, ...words: T[]): T {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new Error(`found ${text}, needed ${words.join(" or ")}`);
  return found;
}
