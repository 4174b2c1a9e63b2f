import ms from "ms";
import type { Lab } from "../lab";

/** What a fault may be given, as its help shows it. */
export interface FaultValue {
  /** As `DURATION`, or the words to choose from: `once|refused`. */
  readonly form: string;
  readonly byDefault: string;
}

/** One way in which a host, its node or its network goes wrong. `host` is a host's name in the lab. */
export interface FaultKind {
  /** One line. */
  readonly does: string;
  readonly value?: FaultValue;
  /** Returns when it is at work. Setting it again changes its value. */
  set(lab: Lab, host: string, value: string): Promise<void>;
  /** Does nothing where it is not on. */
  heal(lab: Lab, host: string): Promise<void>;
  /** By the facts, not by a record: a reboot heals some faults too. */
  isOn(lab: Lab, host: string): Promise<boolean>;
}

/** Milliseconds of `20s` or `500ms`. @throws when it is another thing */
export function milliseconds(text: string): number {
  const value = /^\d.*[a-z]$/.test(text) ? (ms(text as ms.StringValue) as number | undefined) : undefined;
  if (value === undefined) throw new Error(`found ${text}, needed a duration such as 20s`);
  return value;
}

/** A height. @throws when it is none */
export function height(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`found ${text}, needed a height`);
  return Number(text);
}

/** @throws when the text is none of the words */
export function oneOf<T extends string>(text: string, ...words: T[]): T {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new Error(`found ${text}, needed ${words.join(" or ")}`);
  return found;
}
