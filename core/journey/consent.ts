import type { StackConfig } from "../config/config.ts";
import type { LastRun } from "./outputs.ts";

/** Says what `yes` does to live hosts, for a preview: the engine lists resources only. Undefined if there is no news. */
export function formatConsent(
  { lifecycle, host, oldHost, orchestrator, node }: StackConfig,
  last: LastRun,
  { isOff = false, isMoveDue = false }: { readonly isOff?: boolean; readonly isMoveDue?: boolean } = {},
): string | undefined {
  const address = host.provider === "existing" ? host.address : (last.address ?? "the new server");
  const old = oldHost?.address ?? "the old host";
  const { side, attempt = 0 } = last.orchestrator ?? {};
  if (lifecycle === "retiring") return isOff ? undefined : `yes shuts down the node of ${address} for good.`;
  // An upgrade has a text of its own.
  if (lifecycle === "adopted")
    return node.release ? undefined : `yes writes notes in Pulumi's state; nothing on ${address} changes.`;
  if (isMoveDue && orchestrator.rollback)
    return side === "new" ? `yes moves the orchestrator from ${address} back to ${old}.` : undefined;
  if (isMoveDue && (side === undefined || (side === "old" && orchestrator.attempt > attempt)))
    return `yes moves the orchestrator from ${old} to ${address}: for some seconds no host signs.`;
  return last.finished ? undefined : `yes sets up ${address} and waits for its sync; the Pillar stays where it is.`;
}
