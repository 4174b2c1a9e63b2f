import * as pulumi from "@pulumi/pulumi";
import { computeRequiredBytes } from "../../core/chainCopy/chainFacts";
import { readOldHostFacts } from "../../core/chainCopy/copyHosts";
import { computeTransferTime } from "../../core/chainCopy/copyProgress";
import type { StackConfig } from "../../core/config/config";
import { findValidEvents } from "../../core/eventLog/guardFacts";
import { takeFirstLine } from "../../core/util/firstLine";
import { formatSize } from "../../core/util/sizeText";
import type { LastRun } from "../lastRun";
import { info } from "../log";
import { readStackEventsOrNone } from "../stackLog";
import { createChainCopyArgs } from "./chainCopyArgs";

const limitSeconds = 20;

/** Prints in a preview what a chain copy will read, and how long that takes. Never fails: the copy asks again. */
export async function reportChainCopy(
  config: StackConfig,
  stack: string,
  { finished }: Pick<LastRun, "finished">,
  look = readOldHostFacts,
): Promise<void> {
  if (!pulumi.runtime.isDryRun() || finished || config.lifecycle !== "active") return;
  const settings = createChainCopyArgs(config, stack);
  if (settings === undefined) return;
  if (findValidEvents(await readStackEventsOrNone(config), stack, "copied").length > 0) return;
  const { old, limitMbps } = settings;
  const { address, user } = old.host.ssh;
  const amount = await look(settings, limitSeconds).then(
    ({ bytes, free, load }) => {
      const mbps = limitMbps || 100;
      const limit = limitMbps > 0 ? "as limited by sync.copyMbps" : "no limit is configured";
      return `${formatSize(bytes)} now, ${computeTransferTime(bytes, mbps)} at ${mbps} Mbit/s (${limit}); the new host needs ${formatSize(computeRequiredBytes(bytes))} free; the old one has ${formatSize(free)} free, load ${load}`;
    },
    (error: Error) => `amount not known yet: ${takeFirstLine(error.message)}`,
  );
  await info(
    [
      `chain copy: reads nom, consensus and cache in ${old.dataDir} of ${address} as user ${user}, with a key for this alone; nothing is stopped there, and no key, wallet or configuration travels`,
      `chain copy: ${amount}`,
    ].join("\n"),
  );
}
