import type { EventBody } from "../eventLog/events.ts";
import { commandsFor } from "../util/commands.ts";
import { formatUtcMinute } from "../util/timeText.ts";
import type { Registration } from "./registration.ts";

/** Formats the operator's steps in the desktop wallet, one per line (docs/specification.md, 1.1, step 13). */
export function formatWalletClicks(pillar: string, producerAddress: string): string[] {
  return [
    "  1. Open the settings (the gear) and select the address of the Pillar.",
    `  2. Open Pillars, find ${pillar}, and choose Update Pillar.`,
    `  3. Producer address field: ${producerAddress}`,
    "  4. Press Next, then Update, until it is saved.",
  ];
}

export function formatWayBack(pillar: string, earlier: string | undefined): string {
  const address = earlier ?? "the address registered before, as the old host's Status shows it";
  return `The way back, while the old host runs: in the wallet, Update Pillar ${pillar}, producer address: ${address}`;
}

/** Facts: docs/chain.md, Chain. */
export const slotRule =
  "the slots change hands 5 to 10 minutes after the wallet update; then a Pillar among the first 30 by weight waits for minutes, any other up to some hours";

/** Formats the state of a registration, without a full stop. */
export function formatRegistration(registration: Registration, pillar: string): string {
  switch (registration.kind) {
    case "unknown":
      return `it is unknown which address ${pillar} is registered with: ${registration.why}`;
    case "unknownPillar":
      return `no Pillar with the name ${pillar} is registered (pillar-host:pillar.name)`;
    case "earlier":
      return registration.wasOurs
        ? `${pillar} is registered with ${registration.address} again${registration.last?.isOurs === false ? ", and momentums carry that address" : `: ${stillOurs}`}`
        : `${pillar} is still registered with ${registration.address}`;
    case "foreign":
      return `${pillar} is registered with ${registration.address}, neither this host's address nor the one before it`;
    case "tooEarly":
      return `${pillar} is registered with this host's address while its node is not synced (${registration.why})`;
    case "registered":
      return `${pillar} has had this host's producer address since ${formatUtcMinute(registration.since)} or longer, and no momentum with it yet: ${slotRule}`;
    case "producing": {
      const { height, at } = registration.switched;
      return `${pillar} has produced here since momentum ${height} (${formatUtcMinute(at)})`;
    }
  }
}

/** Asks the operator to keep this host running after another address was registered, until that one produces. */
export const stillOurs =
  "this host stays elected for 5 to 10 minutes after the wallet update: keep it running until momentums carry the other address";

/** Returns the notifications for state changes. The event log gets each change once, so each is sent once. */
export function findRegistrationNotices(
  news: readonly EventBody[],
  registration: Registration,
  { stack, pillar }: { readonly stack: string; readonly pillar: string },
): { readonly event: "registered" | "producing" | "retirementPossible"; readonly message: string }[] {
  const message = formatRegistration(registration, pillar);
  if (registration.kind === "registered")
    return news.some(({ event }) => event === "registered") ? [{ event: "registered", message }] : [];
  if (registration.kind !== "producing" || !news.some(({ event }) => event === "producing")) return [];
  if (registration.earlier === undefined) return [{ event: "producing", message }];
  const retire = `the old host (producer address ${registration.earlier}) can be shut down now; OLD is its stack: ${commandsFor("OLD").retire(stack)}`;
  return [
    { event: "producing", message },
    { event: "retirementPossible", message: retire },
  ];
}
