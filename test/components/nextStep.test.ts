import { expect, test } from "vitest";
import { nextForGone, nextStep } from "../../components/node/nextStep";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const situation = { stack: "prod-2", pillar: "Anvil", producerAddress: address };

test("synced: what to do in the wallet, with the address", () => {
  const now = { synced: true, known: true, why: "synced, newest momentum 4 s old" };
  expect(nextStep({ ...situation, now })).toEqual([
    "The node of Anvil is synced. Now, in the desktop wallet:",
    "  1. Open the settings (the gear icon) and select the address of the Pillar.",
    "  2. Open Pillars, find Anvil, and choose Update Pillar.",
    `  3. Paste this into the producer address field: ${address}`,
    "  4. Press Next, then Update, until it is saved.",
    "It takes effect 5 to 10 minutes later. Keep the old host running until then: it produces meanwhile.",
  ]);
});

test.each([
  [true, "syncing", "not synced now (syncing)"],
  [false, "no answer within 20 s", "out of sight now (no answer within 20 s)"],
])("not synced, known %s: hands off the wallet, and no address", (known, why, said) => {
  const lines = nextStep({ ...situation, now: { synced: false, known, why } });
  expect(lines).toEqual([
    `Do not touch the wallet: the node of Anvil is ${said}.`,
    "It was synced before; an address that is registered while its node is behind earns nothing.",
    "Look again with: pulumi up -s prod-2",
  ]);
});

test("a stack whose server is gone already", () => {
  expect(nextForGone("prod")).toEqual([
    "Its server is not there any more. To let go of the rest that this stack made: pulumi destroy -s prod",
  ]);
});
