import { type CloudHostConfig, ideal } from "../config/hostSchema";
import { type Commands, commandsFor } from "../util/commands";
import type { Cloud, ServerNow } from "./cloud";
import type { OrderRecord, PriceLimit, Settled } from "./orderRecord";
import { type Choice, describe, type Offer } from "./plan";

interface OrderView extends Settled {
  readonly run: Commands;
  readonly cloud: Pick<Cloud, "provider">;
  readonly host: CloudHostConfig;
  readonly choice: Choice & { kind: "chosen" };
  readonly next: Choice;
  readonly limit: PriceLimit | undefined;
  readonly leftover: ServerNow | undefined;
  readonly pending: OrderRecord["pending"];
}

/** Returns the preview's lines of an order: what failed before, what is ordered, and what comes next. */
export function orderLines(view: OrderView): string[] {
  const { run, host, choice, next, limit, attempts, failed, leftover, pending } = view;
  const { provider } = view.cloud;
  const { offer, runnerUp } = choice;
  const lines = attempts.map(({ plan, location, at, reason }) => `no room: ${plan} in ${location} at ${at}: ${reason}`);
  if (failed) {
    const { plan, location, at, reason = "the run ended before it heard why" } = failed;
    lines.push(`the order of ${plan} in ${location} at ${at} failed: ${reason}`);
  }
  if (leftover) lines.push(`what that left is removed: server ${leftover.id}`);
  else if (pending)
    lines.push(`should this run end in an error about a server that is not there: ${run.refresh} && ${run.up}`);
  const room = offer.isAvailable
    ? ""
    : `; ${provider}'s list shows no room for it now, which an order tries all the same`;
  const backups = host.backups ? ", backups included" : "";
  lines.push(`host: a server at ${provider}, ${describe(offer)}${backups}; image ${host.image}${room}`);
  if (offer.cores < ideal.cores || offer.memoryGb < ideal.memoryGb)
    lines.push(
      `ideal for the initial sync: ${ideal.cores} cores and ${ideal.memoryGb} GB of memory (host.minimums); with less it takes longer`,
    );
  const otherDear = runnerUp && limit && runnerUp.monthly > limit.monthly ? "; dearer than the limit" : "";
  const otherRoom = runnerUp?.isAvailable === false ? "; the list shows no room for it" : "";
  lines.push(`runner-up: ${runnerUp ? describe(runnerUp) : "none"}${otherDear}${otherRoom}`);
  if (limit)
    lines.push(
      `limit: no server dearer than ${limit.monthly.toFixed(2)} ${offer.currency} a month is ordered (${limit.from})`,
    );
  const then =
    next.kind === "chosen"
      ? `the next run tries ${next.offer.plan} in ${next.offer.location} (${next.offer.monthly.toFixed(2)} ${offer.currency} a month)`
      : "there is nothing else to try within the limit: add locations (pillar-host:host.locations)";
  return [...lines, `should the provider have no room for it, ${then}`];
}

export function plainWords(error: string, token: string): string {
  return error
    .replaceAll(token, "[token]")
    .replace(/^.*rpc error: code = \w+ desc = /s, "")
    .replace(/\d+ errors? occurred:|\bcreating urn:\S+:\s/g, "")
    .replace(/(^|\s)\* /g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 400);
}

/** Says what a failed order means: only the provider's word that it has no room moves the next one on. */
export function failedOrderText(
  stack: string,
  { provider, limits, isNoRoom }: Pick<Cloud, "provider" | "limits" | "isNoRoom">,
  { plan, location }: Pick<Offer, "plan" | "location">,
  words: string,
): string {
  const order = `${plan} in ${location}`;
  const run = commandsFor(stack);
  if (isNoRoom(words))
    return `${provider} has no room for ${order} (${words})\n  ${run.up} tries what comes next: the preview names it`;
  return [
    `the order of ${order} at ${provider} failed (${words})`,
    `  Where the account's limit is reached: ask for a higher one (${limits}), or delete a server`,
    `  Where the token may not make servers: ${run.setSecret("host.token")}`,
    `  Then: ${run.up} orders ${order} again, and nothing else in its place; where a server was left, it goes on with that or removes it`,
  ].join("\n");
}
