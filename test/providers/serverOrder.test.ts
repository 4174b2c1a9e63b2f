import { expect, test } from "vitest";
import { isOrderedByState } from "../../providers/serverOrder";

const order = (serverId: string, isOrder: boolean) => ({ serverId, isOrder });

test.each<[string, object, ReturnType<typeof order>, boolean]>([
  ["stays known after the run of the order", { serverId: "52", isOrdered: true }, order("52", false), true],
  ["stays known of one that was taken over", { serverId: "52", isOrdered: false }, order("52", true), false],
  ["is no for another one that was taken over", { serverId: "52", isOrdered: true }, order("53", false), false],
  ["is yes for another one that was ordered", { serverId: "52", isOrdered: false }, order("53", true), true],
  ["is no for one of a state that does not tell", {}, order("52", false), false],
])("whether the server was ordered %s", (_what, olds, now, is) => expect(isOrderedByState(olds, now)).toBe(is));
