import { sendNotice } from "../../core/notify/notify.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { openStack } from "./openStack.ts";

export async function sendTestNotification(fullName: string): Promise<number> {
  const { stack, config } = await openStack(fullName);
  const { notify, pillar } = config;
  const address = "set the webhook's address (ntfy, Slack, Telegram or your own); pulumi asks for it:";
  const refuse = (what: string, needed = address) =>
    new ProblemError({ what, needed, next: commandsFor(stack).setSecret("notify") });
  if (notify === undefined)
    throw refuse(`pillar-host:notify is not configured for ${stack}, so no notification is sent`);
  const title = `Pillar ${pillar.name} (${stack}): test`;
  const reason = await sendNotice(notify, { event: "test", title, message: "Notifications of this stack come here." });
  if (reason !== undefined)
    throw refuse(`the webhook did not take a test notification: ${reason}`, `if its service is up, ${address}`);
  console.log("notify: the webhook accepted a test notification. Check that it arrived.");
  return 0;
}
