import { expect, test } from "vitest";
import type { LogEvent } from "../../../core/eventLog/events";
import type { RewardsReading } from "../../../core/retirement/readRewards";
import type { Unmet } from "../../../core/retirement/retirementFacts";
import { findRetirementNotices } from "../../../core/retirement/retirementNotices";

const paid: RewardsReading = { source: "n", says: "waiting", isPaid: true, why: "paid since epoch 5, 30 ZNN wait" };
const unpaid: RewardsReading = { source: "n", says: "waiting", why: "not paid yet", dueAt: 1 };
const facts = (...rewards: RewardsReading[]) => ({ rewards, stack: "prod", pillar: "Anvil" });
const unmet: Unmet = { loss: "rewards", what: "not collected", needed: "collect them" };
const told = (notice: string, stack = "prod") => ({ stack, event: "told", details: { notice } }) as LogEvent;

test("notifies each stack once of rewards that can be collected", () => {
  const due = {
    notice: "rewardsDue",
    message: "the rewards of Anvil since the switch: paid since epoch 5, 30 ZNN wait",
  };
  expect(findRetirementNotices(facts(paid), { unmet: [unmet] }, [])).toEqual([due]);
  expect(findRetirementNotices(facts(paid), { unmet: [unmet] }, [told("rewardsDue", "other")])).toEqual([due]);
  expect(findRetirementNotices(facts(paid), { unmet: [unmet] }, [told("rewardsDue")])).toEqual([]);
  expect(findRetirementNotices(facts(unpaid), { unmet: [unmet] }, [])).toEqual([]);
});

test("notifies once, with the command, of a host that can be deleted", () => {
  expect(findRetirementNotices(facts(), { unmet: [] }, [told("rewardsDue")])).toEqual([
    {
      notice: "retirementPossible",
      message: "the old host can be deleted now: pulumi destroy -s prod",
    },
  ]);
  expect(findRetirementNotices(facts(), { unmet: [] }, [told("retirementPossible")])).toEqual([]);
});
