import { commandsFor } from "../util/commands";
import type { Cloud } from "./cloud";
import type { Offer } from "./plan";

const longest = 400;

export function plainWords(error: string, token: string): string {
  return error
    .replaceAll(token, "[token]")
    .replace(/^.*rpc error: code = \w+ desc = /s, "")
    .replace(/\d+ errors? occurred:|\bcreating urn:\S+:\s/g, "")
    .replace(/(^|\s)\* /g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, longest);
}

export function failedOrderText(
  stack: string,
  { provider, limits, failureOf }: Pick<Cloud, "provider" | "limits" | "failureOf">,
  { plan, location }: Pick<Offer, "plan" | "location">,
  words: string,
): string {
  const order = `${plan} in ${location}`;
  const run = commandsFor(stack);
  const again = `${run.up} orders ${order} again, and nothing else in its place`;
  switch (failureOf(words)) {
    case "noRoom":
      return `${provider} has no room for ${order} (${words})\n  ${run.up} tries what comes next: the preview names it`;
    case "quota":
      return [
        `${provider} allows no more of it to this account: the order of ${order} was refused (${words})`,
        `  needed: a higher limit (${limits}), or one server less`,
        `  Then: ${again}`,
      ].join("\n");
    case "rights":
      return [
        `pillar-host:host.token: ${provider} refused the order of ${order} (${words})`,
        `  needed: an API token that may make servers: ${run.setSecret("host.token")}`,
        `  Then: ${again}`,
      ].join("\n");
    default:
      return `the order of ${order} at ${provider} failed (${words})\n  Where it left a server, ${run.up} goes on with it or removes it; else ${again}`;
  }
}
