import * as pulumi from "@pulumi/pulumi";
import type { MakeDecision } from "../../core/cloud/decideServer";
import { commandsFor } from "../../core/util/commands";
import { warn } from "../log";
import type { CloudRun } from "./cloudParts";

/** Returns the handler that stores and explains the provider's error about a failed order, and never retries. */
export function handleOrderError(run: CloudRun<MakeDecision>): pulumi.ErrorHookFunction {
  const { config, orders } = run;
  return async ({ failedOperation, errors }) => {
    if (failedOperation !== "create" || pulumi.runtime.isDryRun()) return false;
    const reason = stripProviderError(errors[0] ?? "", config.host.token);
    const record = await orders.read();
    if (record.pending) await orders.write({ ...record, pending: { ...record.pending, reason } });
    await warn(formatFailedOrder(run, reason));
    return false;
  };
}

/** Reduces a plugin's error to the provider's words, on one line and without the token. */
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
function formatFailedOrder({ cloud, config, plan: { offer } }: CloudRun<MakeDecision>, reason: string): string {
  const order = `${offer.plan} in ${offer.location}`;
  const { up } = commandsFor(config.stack);
  if (cloud.isNoRoom(reason))
    return `${cloud.provider} has no room for ${order} (${reason})\n  ${up} tries the next server: the preview names it`;
  return (
    `the order of ${order} at ${cloud.provider} failed (${reason})\n` +
    `  Once its cause is gone: ${up}. It orders ${order} again, and no other type. If the failed order left a server, the run uses or removes it`
  );
}
