import type { LogEvent } from "../eventLog/events";
import { findValidEvents } from "../eventLog/guardFacts";
import { commandsFor } from "../util/commands";
import type { RetirementFacts, RetirementVerdict } from "./retirementFacts";

/** A webhook notification about a host that is shut down. */
export interface RetirementNotice {
  readonly notice: "rewardsDue" | "retirementPossible";
  readonly message: string;
}

export function findRetirementNotices(
  { rewards, stack, pillar }: Pick<RetirementFacts, "rewards" | "stack" | "pillar">,
  { unmet }: Pick<RetirementVerdict, "unmet">,
  events: readonly LogEvent[],
): RetirementNotice[] {
  const notices: RetirementNotice[] = [];
  const due = rewards.find((reading) => reading.says === "waiting" && reading.isPaid);
  if (due?.says === "waiting")
    notices.push({ notice: "rewardsDue", message: `the rewards of ${pillar} since the switch: ${due.why}` });
  if (unmet.length === 0)
    notices.push({
      notice: "retirementPossible",
      message: `the old host can be deleted now: ${commandsFor(stack).destroy}`,
    });
  const notified = findValidEvents(events, stack, "notified").map(({ details }) => details.notice);
  return notices.filter(({ notice }) => !notified.includes(notice));
}
