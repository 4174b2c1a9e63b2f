import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../core/config/config";
import { usualTimes } from "../core/settings/usualTimes";
import { type LastRun, lastRun } from "./lastRun";
import { info } from "./log";
import { copyAhead } from "./node/copyAhead";
import { bringRecords } from "./records";
import { checkRetirement } from "./retirement/checkRetirement";

/**
 * What goes before all else in a run: records in their place, what the last run left, the conditions of a retirement.
 *
 * @throws RunError where a run can't begin
 */
export async function begin(config: StackConfig, stack: string): Promise<LastRun> {
  await bringRecords(config, stack);
  const last = await lastRun();
  if (config.lifecycle === "retiring") await checkRetirement(config, last);
  if (pulumi.runtime.isDryRun()) {
    await tellTimes(config, last);
    await copyAhead(config, stack, last);
  }
  return last;
}

/** Tells in the preview of a stand-up that has not come to its end how long its steps usually take. */
async function tellTimes(config: StackConfig, last: LastRun): Promise<void> {
  if (config.lifecycle !== "active" || last.finished) return;
  await info(["How long each step usually takes, where it is still to come:", ...usualTimes(config)].join("\n  "));
}
