import { expect, test } from "vitest";
import { followHeight, type HeightStanding } from "../../../core/sync/stall";

const minute = 60_000;

// Each lookup: its minute, its height (- for no answer), and ! if the node counts as stalled then.
test.each([
  ["none while the height advances", "0:1 14:2 28:3"],
  ["an unchanged height", "0:1 14.9:1 15:1! 99:1!"],
  ["the end of one, and the next one", "0:1 15:1! 16:2 31:2!"],
  ["a silent node", "0:1 9:- 15:-! 16:1! 17:2"],
  ["a node that never answered", "0:- 15:-! 16:7"],
  ["none of a height that falls", "0:9 15:8"],
])("notices stalls: %s", (_what, looks) => {
  let standing: HeightStanding = { at: 0, isStalled: false };
  for (const look of looks.split(" ")) {
    const [at, height = ""] = look.replace("!", "").split(":");
    standing = followHeight(standing, height === "-" ? undefined : Number(height), Number(at) * minute, 15 * minute);
    expect(standing.isStalled, look).toBe(look.endsWith("!"));
  }
});
