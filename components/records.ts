import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../core/config/config";
import { ordersPlace } from "../core/settings/orchestratorPlaces";
import { StoreFault } from "../core/store/contradiction";

/**
 * Has all that this machine knows of a stack in its place, before anything is decided on it.
 *
 * @throws RunError where it can't be had
 */
export function bringRecords(config: StackConfig, stack: string): void {
  try {
    ordersPlace(config, stack);
  } catch (error) {
    throw error instanceof StoreFault ? new pulumi.RunError(error.message) : error;
  }
}
