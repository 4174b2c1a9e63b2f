import type { RequestListener } from "node:http";
import { createApi, type SeenRequest } from "../api";
import { Turns } from "../room/turns";
import { accountRoutes } from "./account";
import { actionRoutes, endActions } from "./actions";
import { invalidBody, usualError } from "./answers";
import { Cloud, type Options } from "./cloud";
import { dropletActionRoutes } from "./dropletActions";
import { dropletRoutes } from "./droplets";
import { applyFirewalls } from "./firewallRules";
import { firewallRoutes } from "./firewalls";
import { offerRoutes } from "./offers";

export interface DigitalOcean {
  readonly handler: RequestListener;
  /** State of the account. */
  readonly cloud: Cloud;
  /** All requests to the API, oldest first. */
  readonly requests: readonly SeenRequest[];
}

/**
 * Creates DigitalOcean's API v2 as of late 2026, for one account. ../README.md says what is missing and how tests control
 * it.
 */
export function createDigitalOcean(options: Options): DigitalOcean {
  const cloud = new Cloud(options);
  const turns = new Turns();
  const api = createApi({
    version: "/v2",
    tokens: options.tokens,
    faults: cloud.faults,
    routes: [
      ...accountRoutes(cloud),
      ...offerRoutes,
      ...firewallRoutes(cloud),
      ...actionRoutes(cloud),
      ...dropletActionRoutes(cloud),
      ...dropletRoutes(cloud),
    ],
    servers: () =>
      [...cloud.droplets.values()].map(({ image, tags, ...droplet }) => ({
        ...droplet,
        image: image.slug,
        tags: [...tags],
      })),
    // Requests run one at a time, so that no request meets half of another's work.
    work: (handle) =>
      turns.take("requests", async () => {
        await endActions(cloud);
        const answer = await handle();
        await applyFirewalls(cloud);
        return answer;
      }),
    usualError,
    invalidInput: invalidBody,
    errorBody: ({ code: id, message }) => ({ id, message }),
  });
  return { ...api, cloud };
}
