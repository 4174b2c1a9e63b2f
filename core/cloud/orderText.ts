import { commandsFor } from "../util/commands";
import type { Offer } from "./chooseOffer";
import type { Cloud } from "./cloud";

export function cleanProviderError(error: string, token: string): string {
  return error
    .replaceAll(token, "[token]")
    .replace(/^.*rpc error: code = \w+ desc = /s, "")
    .replace(/\d+ errors? occurred:|\bcreating urn:\S+:\s/g, "")
    .replace(/(^|\s)\* /g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 400);
}

/** Says what a failed order means: only a provider without room makes the next order try elsewhere. */
export function formatFailedOrder(
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
    `  Then run ${run.up}. It orders ${order} again, and no other type. If the failed order left a server, the run uses or removes it`,
  ].join("\n");
}
