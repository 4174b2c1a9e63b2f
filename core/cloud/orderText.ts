import { commandsFor } from "../util/commands";
import type { Offer } from "./chooseOffer";
import type { Cloud } from "./cloud";

export function stripProviderError(error: string, token: string): string {
  return error
    .replaceAll(token, "[token]")
    .replace(/^.*rpc error: code = \w+ desc = /s, "")
    .replace(/\d+ errors? occurred:|\bcreating urn:\S+:\s/g, "")
    .replace(/(^|\s)\* /g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 400);
}

/** Formats a failed order and the next step: only if the provider has no room does the next order try elsewhere. */
export function formatFailedOrder(
  stack: string,
  { provider, limits, isNoRoom }: Pick<Cloud, "provider" | "limits" | "isNoRoom">,
  { plan, location }: Pick<Offer, "plan" | "location">,
  words: string,
): string {
  const order = `${plan} in ${location}`;
  const run = commandsFor(stack);
  if (isNoRoom(words))
    return `${provider} has no room for ${order} (${words})\n  ${run.up} tries the next server: the preview names it`;
  return [
    `the order of ${order} at ${provider} failed (${words})`,
    `  If the account's limit is reached: request a higher limit (${limits}), or delete a server`,
    `  If the token may not create servers: ${run.setSecret("host.token")}`,
    `  Then run ${run.up}. It orders ${order} again, and no other type. If the failed order left a server, the run uses or removes it`,
  ].join("\n");
}
