import type { NodeNow } from "../../providers/lookup";

export interface Situation {
  readonly stack: string;
  readonly pillar: string;
  readonly producerAddress: string;
  readonly now: NodeNow;
}

/**
 * What the operator does next, in words and commands, a line each: the engine cuts longer texts (pure). Specification
 * 1.1, step 13 and the rule behind it.
 */
export function nextStep({ stack, pillar, producerAddress, now }: Situation): string[] {
  if (!now.synced) {
    return [
      `Do not touch the wallet: the node of ${pillar} is ${now.known ? "not synced now" : "out of sight now"} (${now.why}).`,
      "It was synced before; an address that is registered while its node is behind earns nothing.",
      `Look again with: pulumi up -s ${stack}`,
    ];
  }
  return [
    `The node of ${pillar} is synced. Now, in the desktop wallet:`,
    "  1. Open the settings (the gear icon) and select the address of the Pillar.",
    `  2. Open Pillars, find ${pillar}, and choose Update Pillar.`,
    `  3. Paste this into the producer address field: ${producerAddress}`,
    "  4. Press Next, then Update, until it is saved.",
    "It takes effect 5 to 10 minutes later. Keep the old host running until then: it produces meanwhile.",
  ];
}

/** What comes next for a stack that is retired, and whose server is gone already (pure). */
export function nextForGone(stack: string): string[] {
  return [`Its server is not there any more. To let go of the rest that this stack made: pulumi destroy -s ${stack}`];
}
