import { type Notice, sendNotice } from "../core/notify/notify";
import { warn } from "./log";

interface NoticeSource {
  readonly pillar: string;
  readonly stack: string;
}

/** Sends a notification, if there is a webhook. A failure only causes a warning. */
export async function notifyOperator(
  webhook: string | undefined,
  event: Notice["event"],
  { pillar, stack }: NoticeSource,
  message: string,
): Promise<void> {
  if (webhook === undefined) return;
  const reason = await sendNotice(webhook, { event, title: `Pillar ${pillar} (${stack}): ${event}`, message });
  if (reason !== undefined)
    await warn(`the notification "${event}" did not reach the webhook (pillar-host:notify): ${reason}`);
}
