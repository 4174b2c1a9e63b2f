import type { sendNotice } from "../../core/notify/notify";
import { isOurs } from "../../core/registration/registration";
import { commandsFor } from "../../core/util/commands";
import type { Found } from "../overview";
import { couldNot } from "../refusal";
import type { SignMemories } from "./memory";
import { reportedAfter, signNewsOf, signNoticesOf } from "./news";
import { addFigures, type Production } from "./production";
import { signsOf } from "./signsOf";

/** What telling depends on. */
export interface TellDeps {
  readonly memories: SignMemories;
  /** @returns why a webhook did not take it */
  readonly send: typeof sendNotice;
  /** Unix milliseconds. */
  now(): number;
}

/** A stack whose host was looked at, or could not be. */
export type LookedStack = Extract<Found, { view: object }>;

/**
 * Tells a webhook what is new of its stack's signs. Written down at once when it was taken: one that is killed in between
 * tells it again, and nothing is lost.
 *
 * @returns what kept it from telling; undefined where nothing did
 */
export async function tellSigns(found: LookedStack, webhook: string, deps: TellDeps): Promise<string | undefined> {
  const { view, exitCode, lines } = found;
  const { stack, pillar } = view;
  const owner = { stack, pillar };
  const before = deps.memories.read(owner);
  const production = productionNow(before.production, found);
  const known = production === undefined ? {} : { production };
  const look = { view, looked: exitCode !== couldNot, trouble: lines, production };
  let { told } = before;
  deps.memories.write(owner, { told, ...known });
  for (const [notice, part] of signNoticesOf(signNewsOf(told, signsOf(look, deps.now())), owner)) {
    const reason = await deps.send(webhook, notice);
    if (reason !== undefined)
      return `the webhook of ${stack} did not take a notice: ${reason}; the next run tries again\n  needed: an address that takes it; try it: ${commandsFor(stack).notifyTest}`;
    told = reportedAfter(told, part);
    deps.memories.write(owner, { told, ...known });
  }
  return undefined;
}

function productionNow(before: Production | undefined, { view }: LookedStack): Production | undefined {
  const part = view.parts?.registration;
  const found = part && "value" in part ? part.value : undefined;
  if (found === undefined || found.kind === "unknown") return before;
  // Another address's momentums are not this host's.
  if (!isOurs(found)) return undefined;
  return found.figures === undefined ? before : addFigures(before, found.figures);
}
