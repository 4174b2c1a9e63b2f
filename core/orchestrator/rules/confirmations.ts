import { type ConfirmationKey, confirmationKeys } from "../../config/orchestratorSchema.ts";
import type { Commands } from "../../util/commands.ts";
import { boundLaterThan, type MoveHistory } from "./generation.ts";

export const confirmationPaths = confirmationKeys.map((key) => `orchestrator.${key}`);

/** Returns the paths of the confirmations that are set. */
export function listConfirmations(settings: Readonly<Partial<Record<ConfirmationKey, unknown>>>): readonly string[] {
  return confirmationKeys.filter((key) => settings[key] !== undefined).map((key) => `orchestrator.${key}`);
}

/** True if the operator confirmed this, and the command that confirms it. */
export interface Confirmation {
  readonly isGiven: boolean;
  readonly command: string;
}

/** Those that name the number of the start that they are for. */
type Numbers = Readonly<Record<"noKeyShare" | "haltedBridge", number | undefined>>;

/** A move's options with its numbered confirmations as they count now. */
export type Confirmed<T extends Numbers> = Omit<T, keyof Numbers> & Readonly<Record<keyof Numbers, Confirmation>>;

/**
 * Decides which confirmations count: for the next start, or for the unfinished one of this move if a run has logged it
 * for that. Left in the configuration, one counts for no later start.
 */
export function confirmFor<T extends Numbers>(options: T, known: MoveHistory, run: Commands): Confirmed<T> {
  const next = known.started + 1;
  const read = (key: keyof Numbers): Confirmation => ({
    isGiven: options[key] === next || isLogged(key, options[key], known),
    command: run.set(`orchestrator.${key}`, next),
  });
  return { ...options, noKeyShare: read("noKeyShare"), haltedBridge: read("haltedBridge") };
}

type Value = string | number | true | undefined;
export const formatConfirmation = (key: string, value: Value) => `${key}: ${value}`;
const isLogged = (key: string, value: Value, { confirmed }: MoveHistory) =>
  confirmed?.includes(formatConfirmation(key, value)) === true;

/** Returns the confirmations that a run relies on, and that the event log lacks yet. @param highest by the journals */
export function listNewConfirmations(
  {
    noKeyShare,
    haltedBridge,
    firstMove,
    laterThanMove,
  }: Numbers & { readonly firstMove?: true | undefined; readonly laterThanMove?: number | undefined },
  known: MoveHistory,
  highest: number,
): { readonly key: string; readonly value: string | number }[] {
  const { started, generation } = known;
  const later = boundLaterThan(laterThanMove, known, highest);
  const used = [
    noKeyShare === started + 1 && { key: "noKeyShare", value: noKeyShare },
    haltedBridge === started + 1 && { key: "haltedBridge", value: haltedBridge },
    firstMove && generation === 0 && { key: "firstMove", value: "acknowledged" },
    later > 0 && later >= started && { key: "laterThanMove", value: later },
  ];
  return used
    .filter((each) => each !== false && each !== undefined)
    .filter(({ key, value }) => !isLogged(key, value, known));
}
