import type { StackConfig } from "../core/config/config";
import { ordersOf, storeOf } from "../core/settings/orchestratorPlaces";

/**
 * Has all that is known of a stack in its place, before anything is decided on it.
 *
 * @throws storeFault where it can't be had
 */
export async function bringRecords(config: StackConfig, stack: string): Promise<void> {
  ordersOf(config, stack);
  // A bucket that can't be read ends the run here, in words; what was read is not asked for again.
  if (config.store !== undefined) await storeOf(config).lines();
}
