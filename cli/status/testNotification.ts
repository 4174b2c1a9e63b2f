import { sendNotice, serviceOf } from "../../core/notify/notify";
import { commandsFor } from "../../core/util/commands";
import { CliRefusal } from "../terminal/refusal";
import { openStack } from "./openStack";

export async function sendTestNotification(fullName: string): Promise<number> {
  const { stack, config } = await openStack(fullName);
  if (config.notify === undefined)
    throw new CliRefusal(
      [
        `pillar-host:notify: not configured for ${stack}, so nobody is told of anything`,
        "  needed: the webhook's address (ntfy, Slack, Telegram or your own), which is asked for, since it is a secret:",
        `  ${commandsFor(stack).setSecret("notify")}`,
      ].join("\n"),
    );
  const reason = await sendNotice(config.notify, {
    event: "test",
    title: `Pillar ${config.pillar.name} (${stack}): test`,
    message: "Notices of this stack come here.",
  });
  const service = serviceOf(config.notify);
  if (reason === undefined) {
    console.log(`notify: the webhook took a test notice (in the form of ${service}). See that it came.`);
    return 0;
  }
  console.error(
    [
      `notify: the webhook did not take a test notice: ${reason}`,
      `  found: an address of ${service}; three tries`,
      "  needed: an address that takes it with a status of 2xx. It is asked for, since it is a secret:",
      `  ${commandsFor(stack).setSecret("notify")}`,
    ].join("\n"),
  );
  return 1;
}
