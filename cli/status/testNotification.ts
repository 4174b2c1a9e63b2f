import { detectService, sendNotice } from "../../core/notify/notify";
import { commandsFor } from "../../core/util/commands";
import { formatProblem } from "../../core/util/problem";
import { CliRefusal } from "../terminal/refusal";
import { openStack } from "./openStack";

export async function sendTestNotification(fullName: string): Promise<number> {
  const { stack, config } = await openStack(fullName);
  if (config.notify === undefined)
    throw new CliRefusal(
      formatProblem({
        what: `pillar-host:notify is not configured for ${stack}, so no notification is sent`,
        needed: "set the webhook's address (ntfy, Slack, Telegram or your own); pulumi asks for it:",
        next: commandsFor(stack).setSecret("notify"),
      }),
    );
  const reason = await sendNotice(config.notify, {
    event: "test",
    title: `Pillar ${config.pillar.name} (${stack}): test`,
    message: "Notifications of this stack come here.",
  });
  const service = detectService(config.notify);
  if (reason === undefined) {
    console.log(`notify: the webhook accepted a test notification in the format of ${service}. Check that it arrived.`);
    return 0;
  }
  console.error(
    formatProblem({
      what: `notify: the webhook refused a test notification: ${reason}`,
      found: `three attempts, in the format of ${service}`,
      needed: "set an address that answers with a status of 2xx; pulumi asks for it:",
      next: commandsFor(stack).setSecret("notify"),
    }),
  );
  return 1;
}
