import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../core/config/config";
import { ordersOf, storeOf } from "../core/settings/orchestratorPlaces";
import { isStoreFault } from "../core/store/contradiction";

/**
 * Has all that is known of a stack in its place, before anything is decided on it.
 *
 * @throws RunError where it can't be had
 */
export async function bringRecords(config: StackConfig, stack: string): Promise<void> {
  try {
    ordersOf(config, stack);
    // A bucket that can't be read ends the run here, in words; what was read is not asked for again.
    if (config.store !== undefined) await storeOf(config).lines();
  } catch (error) {
    throw isStoreFault(error) ? new pulumi.RunError(error.message) : error;
  }
}
