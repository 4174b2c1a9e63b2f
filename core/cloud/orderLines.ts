import { type CloudHostConfig, ideal } from "../config/hostSchema";
import { commandsFor } from "../util/commands";
import type { OrderRecord, Settled } from "./attempts";
import type { ServerNow } from "./cloud";
import { type Choice, describe, isAffordable, type Offer } from "./plan";
import type { PriceLimit } from "./priceLimit";

export interface OrderView extends Settled {
  readonly stack: string;
  readonly provider: string;
  readonly host: CloudHostConfig;
  readonly choice: Choice & { kind: "chosen" };
  readonly next: Choice;
  readonly limit: PriceLimit;
  readonly leftover: ServerNow | undefined;
  readonly pending: OrderRecord["pending"];
}

const unknownReason = "the run ended before it heard why";

export function orderLines(view: OrderView): string[] {
  const { provider, host, choice, next, limit, attempts, failed, leftover, pending } = view;
  const { offer, runnerUp } = choice;
  const run = commandsFor(view.stack);
  return [
    ...attempts.map(({ plan, location, at, reason }) => `no room: ${plan} in ${location} at ${at}: ${reason}`),
    ...(failed
      ? [`the order of ${failed.plan} in ${failed.location} at ${failed.at} failed: ${failed.reason ?? unknownReason}`]
      : []),
    ...(leftover ? [`what that left is removed: server ${leftover.id}`] : []),
    ...(pending && !leftover
      ? [`should this run end in an error about a server that is not there: ${run.refresh} && ${run.up}`]
      : []),
    `host: a server at ${provider}, ${describe(offer)}${host.backups ? ", backups included" : ""}; image ${host.image}${roomNote(offer, provider)}`,
    ...(offer.cores < ideal.cores || offer.memoryGb < ideal.memoryGb
      ? [
          `ideal for the initial sync: ${ideal.cores} cores and ${ideal.memoryGb} GB of memory (host.minimums); with less it takes longer`,
        ]
      : []),
    runnerUp ? `runner-up: ${describe(runnerUp)}${runnerUpNote(runnerUp, view)}` : "runner-up: none",
    `limit: no server dearer than ${limit.monthly.toFixed(2)} ${offer.currency} a month is ordered (${limit.from})`,
    next.kind === "chosen"
      ? `should the provider have no room for it, the next run tries ${next.offer.plan} in ${next.offer.location} (${next.offer.monthly.toFixed(2)} ${offer.currency} a month)`
      : "should the provider have no room for it, there is nothing else to try within the limit: add locations (pillar-host:host.locations)",
  ];
}

function roomNote({ isAvailable }: Offer, provider: string): string {
  return isAvailable ? "" : `; ${provider}'s list shows no room for it now, which an order tries all the same`;
}

function runnerUpNote(offer: Offer, { limit }: OrderView): string {
  const isDear = !isAffordable(offer, { maxMonthly: limit.monthly });
  return [
    ...(isDear ? ["; dearer than the limit"] : []),
    ...(offer.isAvailable ? [] : ["; the list shows no room for it"]),
  ].join("");
}
