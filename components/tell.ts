import { type Notice, sendNotice } from "../core/notify/notify";
import { warn } from "./log";

/** Noticed news it is. */
export interface Noticed {
  readonly pillar: string;
  readonly stack: string;
}

/** Tells the webhook, where there is one; a webhook that is not told is no reason for a run to fail. */
export async function tell(
  webhook: string | undefined,
  event: Notice["event"],
  { pillar, stack }: Noticed,
  message: string,
): Promise<void> {
  if (webhook === undefined) return;
  const reason = await sendNotice(webhook, { event, title: `Pillar ${pillar} (${stack}): ${event}`, message });
  if (reason !== undefined)
    await warn(`notify: the webhook (pillar-host:notify) was not told of "${event}": ${reason}`);
}
